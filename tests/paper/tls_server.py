#!/usr/bin/env python3
"""A misbehaving HTTPS server for download tests.

    tls_server.py FOLDER

Serves FOLDER/files as https://localhost:PORT/MANNER/PATH. Creates its certificate as FOLDER/certificate.pem, writes the
port to FOLDER/port once it listens, and appends "PATH RANGE" to FOLDER/requests for each request. Exits at the end of
its standard input.
"""
import http.server
import itertools
import os
import pathlib
import ssl
import subprocess
import sys
import threading

FOLDER = pathlib.Path(sys.argv[1])
CRUMB = 1000  # bytes


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        wanted = self.headers.get("Range")
        with open(FOLDER / "requests", "a") as log:
            log.write(f"{self.path} {wanted or '-'}\n")
        _, manner, path = self.path.split("/", 2)
        if manner == "to-https":
            return self.redirect(f"https://{self.headers['Host']}/good/{path}")
        if manner == "to-http":
            return self.redirect(f"http://{self.headers['Host']}/good/{path}")
        if manner == "endless":
            return self.send_endless()
        if not (FOLDER / "files" / path).is_file():
            return self.send_error(404)
        content = (FOLDER / "files" / path).read_bytes()
        if manner == "wrong":
            content = bytes(255 - byte for byte in content)
        begin = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
        if manner == "no-range":  # the first response is also truncated
            self.send_content(content, 0, len(content) if wanted else len(content) // 2)
        elif manner == "broken":
            self.send_content(content, begin, len(content) if wanted else len(content) // 2)
        elif manner == "crumbs":
            self.send_content(content, begin, begin + CRUMB)
        else:
            self.send_content(content, begin, len(content))

    def send_content(self, content, begin, end):
        """Announces the content from `begin` and sends it up to `end`."""
        if begin > 0 and begin >= len(content):
            return self.send_error(416)
        self.send_response(206 if begin > 0 else 200)
        if begin > 0:
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - begin))
        self.end_headers()
        self.wfile.write(content[begin:end])

    def send_endless(self):
        self.send_response(200)
        self.end_headers()
        try:
            for _ in itertools.count():
                self.wfile.write(b"x" * 65536)
        except OSError:
            pass

    def redirect(self, target):
        self.send_response(302)
        self.send_header("Location", target)
        self.end_headers()

    def log_message(self, *_):
        pass


def make_certificate():
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
         "-keyout", FOLDER / "key.pem", "-out", FOLDER / "certificate.pem"],
        check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    make_certificate()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(FOLDER / "certificate.pem", FOLDER / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (FOLDER / "port.new").write_text(str(server.server_port))
    os.rename(FOLDER / "port.new", FOLDER / "port")
    sys.stdin.read()


main()
