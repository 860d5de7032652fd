"""The embedded servers: made once, killed, started again, and nothing that was committed is lost."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import nats
import psycopg
import pytest

from services.embedded import EmbeddedError, EmbeddedNats, EmbeddedPostgres
from services.embedded import process as processes
from services.embedded.account import unprivileged
from services.embedded.home import Home
from services.verifier.room import until
from tests.waiting import PATIENCE


def rows(url: str) -> list[int]:
    with psycopg.connect(url) as connection:
        return [row[0] for row in connection.execute("SELECT n FROM fact ORDER BY n").fetchall()]


def test_postgres_keeps_what_was_committed_through_kill_and_clean_stop(own_home: Home) -> None:
    server = EmbeddedPostgres(own_home)
    server.start()
    try:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("CREATE TABLE fact (n int)")
            connection.execute("INSERT INTO fact VALUES (1)")
        server.kill()
        assert not server.running
        server.start()
        assert rows(server.url) == [1]
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("INSERT INTO fact VALUES (2)")
        server.stop()
        again = EmbeddedPostgres(own_home)
        again.start()
        try:
            assert rows(again.url) == [1, 2]
        finally:
            again.stop()
    finally:
        server.stop()


def test_postgres_wants_its_password(own_home: Home) -> None:
    server = EmbeddedPostgres(own_home, durable=False)
    server.start()
    try:
        wrong = server.url.replace(server.url.split(":")[2].split("@")[0], "wrong")
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(wrong)
    finally:
        server.stop()


def test_a_pid_file_of_a_process_that_is_a_stranger_does_not_stop_a_start(own_home: Home) -> None:
    server = EmbeddedPostgres(own_home, durable=False)
    server.start()
    server.kill()
    note = own_home.data / "postgres" / "data" / "postmaster.pid"
    lines = note.read_text().splitlines()
    note.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    server.start()
    try:
        with psycopg.connect(server.url) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
    finally:
        server.stop()


async def test_nats_keeps_its_port_and_its_streams_through_a_kill(own_home: Home) -> None:
    server = EmbeddedNats(own_home)
    server.start()
    try:
        url = server.url
        client = await nats.connect(url)
        await client.jetstream().add_stream(name="KEPT", subjects=["kept.>"])
        await client.jetstream().publish("kept.one", b"fact")
        await client.close()
        server.kill()
        server.start()
        assert server.url == url
        client = await nats.connect(url)
        message = await client.jetstream().get_msg("KEPT", 1)
        assert message.data == b"fact"
        await client.close()
    finally:
        server.stop()


def test_nats_waits_for_a_port_that_another_was_given_while_it_was_down(own_home: Home) -> None:
    server = EmbeddedNats(own_home)
    server.start()
    url = server.url
    server.kill()
    try:
        with socket.create_server(("127.0.0.1", int(url.rpartition(":")[2]))) as other:
            starting = threading.Thread(target=server.start)
            starting.start()
            log = own_home.logs / "nats.log"
            until(lambda: "address already in use" in log.read_text(), "that it finds its port taken")
            other.close()
        starting.join(PATIENCE)
        assert server.running
        assert server.url == url
    finally:
        server.stop()


async def test_nats_refuses_who_has_no_password(own_home: Home) -> None:
    server = EmbeddedNats(own_home)
    server.start()
    try:
        bare = "nats://127.0.0.1:" + server.url.rpartition(":")[2]
        with pytest.raises(nats.errors.Error):
            await nats.connect(bare, allow_reconnect=False, max_reconnect_attempts=0)
    finally:
        server.stop()


def test_a_directory_is_held_by_one_process(own_home: Home, open_folder: Path) -> None:
    with pytest.raises(EmbeddedError, match="another Sietch uses"):
        Home(open_folder, unprivileged())


def test_below_a_closed_directory_the_data_goes_where_the_account_can_enter(open_folder: Path) -> None:
    open_folder.chmod(0o700)
    said: list[str] = []
    home = Home(open_folder / "deep", unprivileged(), said.append)
    try:
        if os.geteuid() != 0:  # only root lends another account to its servers
            assert home.data == home.path
            return
        assert home.data != home.path
        assert len(said) == 1
        assert str(home.data) in said[0]
        assert open_folder.stat().st_mode & 0o777 == 0o700
        home.release()
        again = Home(open_folder / "deep", unprivileged(), said.append)
        assert again.data == home.data
        assert len(said) == 1
        again.release()
    finally:
        home.release()
        shutil.rmtree(home.data, ignore_errors=True)


def test_children_end_when_their_parent_is_killed(open_folder: Path) -> None:
    script = textwrap.dedent("""
        import signal, sys, time
        from services.embedded import process
        child = process.start(["sleep", "600"], last_signal=signal.SIGTERM)
        print(child.pid, flush=True)
        time.sleep(600)
    """)
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert processes.alive(child)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + PATIENCE
    while processes.alive(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not processes.alive(child)


def test_each_test_has_a_database_of_its_own(empty_database_url: str) -> None:
    with psycopg.connect(empty_database_url) as connection:
        connection.execute("CREATE TABLE mine (n int)")
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert tables == [("mine",)]
