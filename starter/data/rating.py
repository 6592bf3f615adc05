"""Writes the rating of a bot over its duels as SVG, from the data in bulk (docs/data.md).

    python3 rating.py URL BOT >rating.svg

The line is the rating, the area around it one deviation up and down.
"""

import sys
import urllib.parse

from bulk import lines

WIDTH, HEIGHT = 800, 300

base, bot = sys.argv[1].rstrip("/"), sys.argv[2]
points = list(lines(f"{base}/api/data/ratings?bot={urllib.parse.quote(bot)}"))
if not points:
    sys.exit(f"{bot} has no rated duels that are a minute old.")
low = min(p["rating"] - p["deviation"] for p in points)
high = max(p["rating"] + p["deviation"] for p in points)


def place(n, rating):
    """Returns the coordinates of a rating after the n-th duel."""
    return f"{WIDTH * n / max(1, len(points) - 1):.1f},{HEIGHT * (high - rating) / (high - low):.1f}"


upper = [place(n, p["rating"] + p["deviation"]) for n, p in enumerate(points)]
lower = [place(n, p["rating"] - p["deviation"]) for n, p in enumerate(points)]
line = [place(n, p["rating"]) for n, p in enumerate(points)]
last = points[-1]
print(f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">
<title>{last["player"]["username"]}: {last["rating"]} after {len(points)} duels, {low:.0f} to {high:.0f}</title>
<polygon points="{" ".join(upper + lower[::-1])}" fill="#cde"/>
<polyline points="{" ".join(line)}" fill="none" stroke="#036" stroke-width="2"/>
</svg>""")
