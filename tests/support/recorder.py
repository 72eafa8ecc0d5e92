"""A program for a pane: raw terminal, writes every read it gets to a file, prints nothing by itself.

``python -S recorder.py LOG``: LOG gets one line of hexadecimal bytes for each read, first an empty one as
soon as it listens. Tests print into the pane through its terminal (``TmuxServer.show``), also the code
that asks for bracketed paste.
"""

import os
import sys
import termios

QUIT = b"\x04quit"  # typed as one piece, it ends this program


def main() -> None:
    log = open(sys.argv[1], "a", buffering=1)  # noqa: SIM115 - open until the program ends
    mode = termios.tcgetattr(0)
    mode[0] = 0
    mode[1] &= ~termios.OPOST
    mode[3] = 0
    mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
    termios.tcsetattr(0, termios.TCSANOW, mode)
    log.write("\n")
    while True:
        data = os.read(0, 65536)
        if not data:
            return
        log.write(data.hex() + "\n")
        if data == QUIT:
            return


if __name__ == "__main__":
    main()
