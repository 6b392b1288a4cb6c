# SPDX-License-Identifier: Apache-2.0
"""Tests the library during the life of a process: forks after threads have run, Ctrl-C while a passphrase is stretched,
and locked memory.

Each test runs in its own process. A process that hangs is killed after a long time, and the test fails.
"""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

KILLED_AFTER_S = 120


def python(code, **options):
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def ended(process):
    try:
        return process.communicate(timeout=KILLED_AFTER_S)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"the process was still there after {KILLED_AFTER_S} s; it said {process.communicate()}")


FORKED = """
    import os, signal
    import ringfort as rf
    def totals(keys, upload):
        aggregator = rf.statistics.Aggregator(keys.public, threads=2)
        aggregator.add(upload)
        return rf.statistics.decrypt(aggregator.result(), keys).mean("age")
    study = rf.statistics.Study({"age": (18, 99), "visits": (0, 9)}, wanted="regressions", uploads=1000, records=4)
    keys = rf.statistics.keygen(study, threads=2)
    upload = rf.statistics.encrypt({"age": [41, 63], "visits": [1, 2]}, keys.public)
    before = totals(keys, upload)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if totals(keys, upload) == 52 else 1)
    _, status = os.waitpid(child, 0)
    print(before, status, totals(keys, upload))
"""


def test_a_forked_child_computes_on_threads_as_its_parent_did():
    out, error = ended(python(FORKED))
    assert out.split() == ["52.0", "0", "52.0"], error


DAEMONS = """
    import atexit, os, sys, threading
    atexit.register(lambda: print("last:", *(x + 1).decrypt(keys)[:2]))  # runs after the functions of the library
    import ringfort as rf
    ctx = rf.Context(depth=1, n=2048, precision=8, magnitude=4, insecure="a test")
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([1.0] * 1024, keys)
    threading.stack_size(512 << 10)  # docs/encrypted-arrays.md promises that this is enough
    ready = threading.Semaphore(0)
    def serve():
        while True:
            x * x
            ready.release()
    for _ in range(4):
        threading.Thread(target=serve, daemon=True).start()
    for _ in range(20):
        ready.acquire()
    sys.stdout.flush()
    child = os.fork()
    if child != 0:
        print("child:", os.waitpid(child, 0)[1])
"""


def test_a_process_and_its_child_end_while_daemon_threads_compute():
    process = python(DAEMONS)
    out, error = ended(process)
    assert process.returncode == 0, error
    assert out.splitlines() == ["last: 2.0 2.0", "child: 0", "last: 2.0 2.0"]


FORKED_AT_THE_END = """
    import atexit, os, signal, threading
    ending, forked = threading.Event(), threading.Event()
    def wait():  # runs after the function of the library
        ending.set()
        forked.wait()
    atexit.register(wait)
    import ringfort as rf
    ctx = rf.Context(depth=1, n=1024, insecure="a test")
    keys = ctx.keygen(rotations=[])
    x = ctx.encrypt([1.0], keys)
    def fork():
        ending.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            os._exit(int(x.decrypt(keys)[0].round()))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        forked.set()
    threading.Thread(target=fork, daemon=True).start()
"""


def test_a_daemon_thread_forks_a_child_that_computes_while_the_interpreter_ends():
    out, error = ended(python(FORKED_AT_THE_END))
    assert out.split() == ["1"], error


IN_USE = """
    import os, signal, threading
    import ringfort as rf
    keys = rf.search.keygen("keys", hash_bits=8, unsealed=True)
    with rf.search.Index.create("index", keys) as index:
        index.add([rf.search.Document(id="1", subject="", words=("soup",))], keys)
    query = rf.search.query("soup", keys)
    server = rf.search.Server("index", allow_insecure=True)
    begun, over = threading.Event(), threading.Event()
    def hold(*_):
        begun.set()
        over.wait()
    holder = threading.Thread(target=lambda: server.search(query, progress=hold))
    holder.start()
    begun.wait()
    def search():
        try:
            server.search(query)
        except rf.InvalidArgument as error:
            os.write(1, f"{error}\\n".encode())  # print could mix lines
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        threads = [threading.Thread(target=search) for _ in range(4)]  # one of them can have the id of the holder
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        os._exit(0)
    os.waitpid(child, 0)
    over.set()
    holder.join()
"""


def test_threads_of_a_child_are_told_that_another_thread_used_the_object_at_the_fork(tmp_path):
    out, error = ended(python(IN_USE, cwd=tmp_path))
    lines = out.splitlines()
    assert len(lines) == 4, error
    assert all(line.startswith("this process was forked while another thread used the object") for line in lines)


BEFORE_A_FORK = {  # preset, threads of the index, other work of the parent
    "indexed": ("gsw128", 2, ""),
    "searched": ("gsw128", 1, "count(2)"),
    "searched literally": ("paper-gsw", 1, "count(2, 'literal')"),
}


@pytest.mark.parametrize("step", BEFORE_A_FORK)
def test_a_forked_child_searches_on_threads_as_its_parent_did(step, tmp_path):
    preset, threads, before = BEFORE_A_FORK[step]
    code = f"""
        import os, signal
        import ringfort as rf
        def add(name, threads):
            with rf.search.Index.create(name, keys) as index:
                index.add(documents, keys, threads=threads)
        def count(threads, engine="row"):
            return int(rf.search.decrypt(server.search(query, threads=threads, engine=engine), keys).sum())
        keys = rf.search.keygen("keys", {preset!r}, allow_insecure=True, unsealed=True)
        documents = [rf.search.Document(id=str(i), subject="", words=("soup",)) for i in range(3)]
        query = rf.search.query("soup", keys)
        add("index", {threads})
        server = rf.search.Server("index", allow_insecure=True)
        {before}
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            add("the child's", 2)
            os._exit(0 if count(2) == 3 else 1)
        _, status = os.waitpid(child, 0)
        print(status, count(2))
    """
    out, error = ended(python(code, cwd=tmp_path))
    assert out.split() == ["0", "3"], error


def test_keygen_on_a_full_disk_does_not_block_the_next_keygen(tmp_path):
    code = """
        import os, resource, signal
        import ringfort as rf
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        for most in (0, 100, 4096):
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
            try:
                rf.search.keygen("keys", unsealed=True)
            except rf.IoWrite:
                print(sorted(os.listdir("keys")))
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        rf.search.keygen("keys", unsealed=True)
        print(rf.search.load_keys("keys").fingerprint == rf.search.load_keys("keys/public.rfk").fingerprint)
    """
    out, error = ended(python(code, cwd=tmp_path))
    assert out.splitlines() == ["[]", "[]", "[]", "True"], error


MAKE_KEYS = {
    "search": "rf.search.keygen('keys', hash_bits=8, unsealed=True)",
    "study": "rf.statistics.keygen(study).save('keys', unsealed=True)",
}
FINGERPRINTS = {
    "search": "rf.search.load_keys('keys').fingerprint, rf.search.load_keys('keys/public.rfk').fingerprint",
    "study": "rf.statistics.load_keys('keys', secret=True).public.fingerprint, "
    "rf.statistics.load_keys('keys').fingerprint",
}


@pytest.mark.parametrize("kind", MAKE_KEYS)
def test_of_keygens_at_the_same_time_in_one_folder_one_succeeds(tmp_path, kind):
    """Each process pauses before it writes, until all processes have seen an empty folder."""
    code = f"""
        import os, time
        import ringfort as rf
        from ringfort import key_folders
        study = rf.statistics.Study({{"a": (0, 3)}}, "means", 2)
        locked_key_folder = key_folders.locked_key_folder
        def late(*arguments):
            os.write(ready, b"x")
            while os.fstat(turn).st_nlink:
                time.sleep(0.001)
            return locked_key_folder(*arguments)
        rf.search.keys.locked_key_folder = rf.statistics.keys.locked_key_folder = late
        turn = os.open("turn", os.O_CREAT | os.O_RDWR)
        told, ready = os.pipe()
        children = []
        for _ in range(3):
            child = os.fork()
            if child == 0:
                try:
                    {MAKE_KEYS[kind]}
                    os._exit(0)
                except (rf.IoLocked, rf.IoWrite):
                    os._exit(1)
            children.append(child)
        for _ in children:
            os.read(told, 1)
        os.unlink("turn")
        print(sorted(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
        secret, public = {FINGERPRINTS[kind]}
        print(secret == public, sorted(os.listdir("keys")))
    """
    out, error = ended(python(code, cwd=tmp_path))
    names = {"search": ["public.rfk", "secret.rfk"], "study": ["public.rfc", "secret.rfc", "study.json"]}
    assert out.splitlines() == ["[0, 1, 1]", f"True {names[kind]}"], error


def test_keys_of_a_study_on_a_full_disk_do_not_block_the_next_keys(tmp_path):
    code = """
        import os, resource, signal
        import ringfort as rf
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        keys = rf.statistics.keygen(rf.statistics.Study({"a": (0, 3)}, "means", 2))
        for most in (0, 200, 4096):
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
            try:
                keys.save("keys", unsealed=True)
            except rf.IoWrite:
                print(sorted(os.listdir("keys")))
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        keys.save("keys", unsealed=True)
        print(rf.statistics.load_keys("keys", secret=True).public.fingerprint == keys.public.fingerprint)
    """
    out, error = ended(python(code, cwd=tmp_path))
    assert out.splitlines() == ["[]", "[]", "[]", "True"], error


def test_a_forked_child_appends_nothing_beside_its_parent(tmp_path):
    code = """
        import os
        import ringfort as rf
        keys = rf.search.keygen("keys", unsealed=True)
        def add(name):
            index.add([rf.search.Document(name, "", ("soup",))], keys)
        index = rf.search.Index.create("index", keys)
        add("first")
        child = os.fork()
        if child == 0:
            refused = 0
            for write in (lambda: add("child"), index.seal, index.close):
                try:
                    write()
                except rf.IoLocked:
                    refused += 1
            os._exit(refused)
        _, status = os.waitpid(child, 0)
        add("parent")
        index.close()
        index = rf.search.Index.open("index")
        print(os.waitstatus_to_exitcode(status), *[d.message_id for d in index.read_documents(range(2), keys)])
        print(*rf.search.Index.verify("index").problems)
    """
    out, error = ended(python(code, cwd=tmp_path))
    assert out.split() == ["3", "first", "parent"], error


def test_a_forked_child_holds_no_lock_of_an_index_that_its_parent_closed(tmp_path):
    code = """
        import os
        import ringfort as rf
        keys = rf.search.keygen("keys", unsealed=True)
        index = rf.search.Index.create("index", keys)
        index.add([rf.search.Document("first", "", ("soup",))], keys)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(write)
            os.read(read, 1)          # until its parent has closed the index
            os._exit(0)
        index.close()
        again = rf.search.Index.open("index", append=True)
        again.add([rf.search.Document("second", "", ("soup",))], keys)
        print(again.documents)
        os.close(write)
        os.waitpid(child, 0)
    """
    out, error = ended(python(code, cwd=tmp_path))
    assert out.split() == ["2"], error


def test_ctrl_c_ends_the_wait_for_a_ledger_that_somebody_holds(tmp_path):
    code = """
        import fcntl, os, signal, threading
        import ringfort as rf
        signal.signal(signal.SIGINT, signal.default_int_handler)
        release = rf.Release(30, 10)
        context = rf.Context(depth=1, precision=10, release=release)
        keys = context.keygen(rotations=[])
        keys.create_ledger("ledger")
        value = context.encrypt([0.5], keys)
        with open("ledger.lock", "r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            threading.Timer(1, signal.raise_signal, [signal.SIGINT]).start()
            try:
                value.decrypt(keys, release=release, ledger="ledger")
            except KeyboardInterrupt:
                print("ended")
        print(value.decrypt(keys, release=release, ledger="ledger").round(2).tolist())
    """
    out, error = ended(python(code, cwd=tmp_path))
    assert out.splitlines() == ["ended", "[0.5]"], error


SEALED = {
    "arrays saved": """
        keys = rf.Context(depth=1).keygen(rotations=[])
        go()
        rf.save(folder + "/keys.rfc", keys=keys, passphrase="open barley", strength=2)
    """,
    "arrays loaded": """
        keys = rf.Context(depth=1).keygen(rotations=[])
        rf.save(folder + "/keys.rfc", keys=keys, passphrase="open barley", strength=1)
        go()
        while True:
            rf.load(folder + "/keys.rfc", passphrase="open barley", secrets=True)
    """,
    "search keys made": """
        go()
        rf.search.keygen(folder + "/search", passphrase="open barley", strength=2)
    """,
}


@pytest.mark.parametrize("step", SEALED)
def test_ctrl_c_stops_the_stretching_of_a_passphrase(step, tmp_path):
    prologue = f"""
        import signal
        import ringfort as rf
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of a shell ignores SIGINT
        folder = {str(tmp_path)!r}
        def go():
            print("go", flush=True)
    """
    process = python(textwrap.dedent(prologue) + textwrap.dedent(SEALED[step]))
    assert process.stdout.readline() == "go\n", process.communicate()
    process.send_signal(signal.SIGINT)
    _, error = ended(process)
    assert "KeyboardInterrupt" in error.splitlines()[-1]
    left = [name for _, _, names in os.walk(tmp_path) for name in names]
    assert left == ([] if step != "arrays loaded" else ["keys.rfc"])


UNLOCKED = """
    import os, resource, warnings
    import ringfort as rf
    if os.geteuid() == 0:
        os.setuid(65534)  # root may lock memory beyond the limit
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
    context = rf.Context(depth=1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        keys = [context.keygen(rotations=[]) for _ in range(2)]
    print(len(caught), *[str(one.message) for one in caught])
    print(context.encrypt([0.5], keys[0]).decrypt(keys[0]).round(3).tolist())
"""


def test_memory_that_cannot_be_locked_is_warned_of_once_and_works():
    out, error = ended(python(UNLOCKED))
    warned, values = out.splitlines()
    assert warned.startswith("1 the system refused to lock memory"), error
    assert "ulimit -l" in warned
    assert values == "[0.5]"


WARNED_WITH_PASSPHRASE = """
    import os, resource, tempfile
    import ringfort as rf
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o777)
    if os.geteuid() == 0:
        os.setuid(65534)  # root may lock memory beyond the limit
    rf.search.keygen(folder + "/keys", passphrase="kanarienvogel", strength=0)
"""


def test_a_warning_does_not_show_the_line_with_a_passphrase():
    # Everybody may read the file; therefore Python can show lines of the program.
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.py"
        program.write_text(textwrap.dedent(WARNED_WITH_PASSPHRASE))
        Path(folder).chmod(0o755)
        done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=KILLED_AFTER_S)
    assert "refused to lock memory" in done.stderr
    assert "kanarienvogel" not in done.stderr


FORKED_UNLOCKED = """
    import os, resource, sys, warnings
    import ringfort as rf
    if os.geteuid() == 0:
        os.setuid(65534)  # root may lock memory beyond the limit
    keys = rf.Context(depth=1, n=1024, insecure="a small ring").keygen(rotations=[])
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        child = os.fork()
        if child == 0:
            print(*[str(one.message) for one in caught], flush=True)
            os._exit(0)
        os.waitpid(child, 0)
    print(len(caught), rf._core.secret_memory_is_locked())
"""


def test_a_forked_child_that_cannot_lock_memory_says_so():
    out, error = ended(python(FORKED_UNLOCKED))
    said, parent = out.splitlines()
    assert said.startswith("the system refused to lock memory"), error
    assert parent == "0 True"


SHARING = """
    import os
    import numpy as np
    import ringfort as rf

    def private_bytes():
        lines = [line.split() for line in open("/proc/self/smaps_rollup").readlines()[1:]]
        return 1024 * sum(int(words[1]) for words in lines if words[0].startswith("Private_"))

    ctx = rf.Context(depth=4, n=16384)
    owner = ctx.keygen(rotations=list(range(1, 33)))
    stored = rf.dumps(x=ctx.encrypt(np.linspace(-1, 1, ctx.slots), owner), keys=owner.public)
    loaded = rf.loads(stored, ctx)
    child = os.fork()
    if child == 0:
        for step in range(1, 33):  # uses every key
            np.roll(loaded["x"], -step)
        print(loaded["keys"].nbytes, private_bytes(), flush=True)
        os._exit(0)
    print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/smaps_rollup"), reason="the kernel has no smaps_rollup")
@pytest.mark.names_device("keys are in the memory of the process")
def test_a_forked_worker_shares_the_memory_of_loaded_keys():
    out, error = ended(python(SHARING))
    keys, private, status = map(int, out.split())
    assert status == 0, error
    assert keys > 100 << 20
    assert private < keys / 2
