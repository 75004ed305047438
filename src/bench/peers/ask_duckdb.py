"""Asks DuckDB the queries of a task and writes what it took.

Usage: python3 ask_duckdb.py TASK.json RESULT.json

TASK: load (a CSV, or null), folder, database, reuse, setup (statements), rounds,
queries (per query: set, ids, names, each SQL; names may be null).
RESULT: version, load, load_cpu, build, file, peak, answers, times. Times per query are
milliseconds of CPU time of this process, with one thread.
"""

import json
import os
import random
import resource
import sys
import time
import zlib

import duckdb
import numpy as np

task = json.load(open(sys.argv[1]))
result = {"version": duckdb.__version__, "load": None, "load_cpu": None, "build": None}


def say(what):
    print(what, flush=True)


def remove(path):
    for name in (path, path + ".wal"):
        if os.path.exists(name):
            os.remove(name)


def peak():
    """The most memory that this process has had. What getrusage tells begins with that
    of the process which started this one."""
    try:
        status = open("/proc/self/status").read()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def load(csv):
    """Wall and CPU time in which a CSV becomes a table in a file: the median of three."""
    times = []
    for _ in range(3):
        path = os.path.join(task["folder"], "load.duckdb")
        remove(path)
        start, cpu = time.perf_counter(), time.process_time()
        connection = duckdb.connect(path)
        connection.execute("CREATE TABLE inst AS SELECT * FROM read_csv(?)", [csv])
        connection.execute("CHECKPOINT")
        connection.close()
        times.append((time.perf_counter() - start, time.process_time() - cpu))
        remove(path)
    return sorted(times)[1]


if task["load"]:
    say("loads the CSV")
    result["load"], result["load_cpu"] = load(task["load"])
    result["peak"] = peak()

database = task["database"]
if not (task["reuse"] and os.path.exists(database)):
    say("prepares its tables")
    start = time.perf_counter()
    remove(database)
    connection = duckdb.connect(database)
    for statement in task["setup"]:
        connection.execute(statement)
    connection.execute("CHECKPOINT")
    connection.close()
    result["build"] = time.perf_counter() - start
result["file"] = os.path.getsize(database)

connection = duckdb.connect(database, read_only=True)
connection.execute("SET threads = 1")


def ask_set(query):
    return connection.execute(query["set"]).fetchone()[0]


def ask_ids(query):
    (ids,) = connection.execute(query["ids"]).fetchnumpy().values()
    return ids


def ask_names(query):
    return connection.execute(query["names"]).fetchall()


def signature(ids):
    ids = np.sort(np.asarray(ids).astype(np.uint32))
    return [len(ids), zlib.crc32(ids.astype("<u4").tobytes())]


queries = task["queries"]
levels = {"set": (ask_set, lambda count: count), "ids": (ask_ids, signature)}
if all(query["names"] for query in queries):
    levels["names"] = (ask_names, lambda rows: rows)

result["answers"] = {}
for level, (ask, shown) in levels.items():
    say(f"answers, {level}")
    result["answers"][level] = [shown(ask(query)) for query in queries]

times = {level: [[] for _ in queries] for level in levels}
order = list(range(len(queries)))
for turn in range(task["rounds"]):
    for level, (ask, _) in levels.items():
        say(f"round {turn + 1} of {task['rounds']}, {level}")
        random.Random(turn).shuffle(order)
        for number in order:
            query = queries[number]
            start = time.process_time_ns()
            given = ask(query)
            end = time.process_time_ns()
            del given
            times[level][number].append((end - start) / 1e6)
result["times"] = times
json.dump(result, open(sys.argv[2], "w"))
