"""A small stand-in for a Qdrant server: the part of its REST interface that the index uses,
answered by the client's own local mode.

It shows that what we send a server is well-formed and understood; it is no test of the server
itself.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from qdrant_client import QdrantClient, models

SEEN: list[tuple[str, str, dict[str, Any]]] = []


def answer(store: QdrantClient, method: str, name: str, what: str, body: dict[str, Any]) -> Any:
    """The result of one request."""
    if (method, what) == ("GET", "/exists"):
        return {"exists": store.collection_exists(name)}
    if (method, what) == ("GET", ""):
        return store.get_collection(name).model_dump(mode="json")
    if (method, what) == ("POST", "/points/scroll"):
        wanted = models.ScrollRequest(**body)
        found, page = store.scroll(
            name,
            limit=wanted.limit,
            offset=wanted.offset,
            with_payload=wanted.with_payload,
            with_vectors=wanted.with_vector,
        )
        return {"points": [p.model_dump() for p in found], "next_page_offset": page}
    if (method, what) == ("PUT", ""):
        made = models.CreateCollection(**body)
        return store.create_collection(name, vectors_config=made.vectors)
    if (method, what) == ("DELETE", ""):
        return store.delete_collection(name)
    if (method, what) == ("PUT", "/index"):
        models.CreateFieldIndex(**body)
        return {"operation_id": 0, "status": "completed"}
    if (method, what) == ("PUT", "/points"):
        points = (
            models.PointsBatch(**body).batch
            if "batch" in body
            else models.PointsList(**body).points
        )
        return store.upsert(name, points=points).model_dump()
    if (method, what) == ("POST", "/points"):
        given = models.PointRequest(**body)
        return [
            p.model_dump()
            for p in store.retrieve(
                name,
                ids=given.ids,
                with_payload=given.with_payload,
                with_vectors=given.with_vector or False,
            )
        ]
    if (method, what) == ("POST", "/points/count"):
        return store.count(name).model_dump()
    if (method, what) == ("POST", "/points/delete"):
        return store.delete(name, points_selector=models.FilterSelector(**body)).model_dump()
    if (method, what) == ("POST", "/points/query/batch"):
        requests = [
            models.QueryRequest(**search).model_copy(update={"params": None})
            for search in body["searches"]
        ]
        return [found.model_dump() for found in store.query_batch_points(name, requests=requests)]
    raise ValueError(f"{method} {name} {what}")


@contextmanager
def running() -> Iterator[str]:
    """The address of a server that runs within the block."""
    store = QdrantClient(":memory:")

    class Handler(BaseHTTPRequestHandler):
        def serve(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else {}
            found = re.fullmatch(r"/collections/([^/?]+)([^?]*)(\?.*)?", self.path)
            assert found, self.path
            SEEN.append((self.command, found[2], body))
            result = answer(store, self.command, found[1], found[2], body)
            text = json.dumps({"result": result, "status": "ok", "time": 0.0}, default=str).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_PUT = do_POST = do_DELETE = serve

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
