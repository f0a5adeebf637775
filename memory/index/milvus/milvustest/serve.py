"""Runs milvus-lite on 127.0.0.1 until its standard input ends. Arguments: the folder of the data, the port.

Unlike the program of the package it does not share its port: a second server on it is an error, not a second listener that
gets half of the connections.
"""
import os
import signal
import sys
import threading

import grpc

make = grpc.server


def server(pool, *args, options=(), **kwargs):
    return make(pool, *args, options=[*options, ("grpc.so_reuseport", 0)], **kwargs)


def until_parent_ends():
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGINT)


grpc.server = server
signal.signal(signal.SIGINT, signal.default_int_handler)  # even where the parent ignores it

from milvus_lite.adapter.grpc.server import run_server  # noqa: E402 - grpc.server first

threading.Thread(target=until_parent_ends, daemon=True).start()
run_server(sys.argv[1], "127.0.0.1", int(sys.argv[2]))
