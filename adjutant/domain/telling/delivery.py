"""DOMAIN. How a notice gets out when a channel is down: through the next one, in the slot that it has.

Only a channel that certainly took nothing is followed by another. The next notice tries the first again.
"""

from __future__ import annotations

from adjutant.errors import ChannelUnavailable, ConfigInvalid, Stopped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from adjutant.ports import Notifier

REASON_CHARS = 60  # a digest and what is said of two channels is still one message of Telegram's
Came = tuple[str, str, str, dict[str, str]]  # outcome, why, the channel that came last, {channel before it: why}


def deliver(
    names: Iterable[str],
    build: Callable[[str], Notifier],
    send: Callable[[Notifier, str], None],
    told: Mapping[str, Any],
    stops: Callable[[], tuple[str, str] | None],
    clean: Callable[[str], str],
) -> Came:
    """Tries one channel after the other while they refuse or cannot be built. `send(channel, news)` sends the notice
    with news below it; `told`: channels known to be down; `stops` gives (outcome, why) once nothing may leave any more;
    `clean` makes one line of what a channel said."""
    from adjutant.ports import Refused, Uncertain  # brings typing; `status` reads this module and never sends

    down: dict[str, str] = {}
    name = ""
    for name in names:
        if down and (stop := stops()) is not None:
            return *stop, name, down
        news = [f"\n({each} is down: {why[:REASON_CHARS]})" for each, why in down.items() if each not in told]
        try:
            send(build(name), "".join(news))
        except (Refused, ConfigInvalid, ChannelUnavailable) as error:
            down[name] = clean(str(error))
        except Uncertain as error:
            return "unknown", clean(str(error)), name, down
        except Stopped:
            return "paused", "PAUSED was set", name, down
        else:
            return "sent", "", name, down
    return "failed", "; ".join(down.values()), name, down


def down_now(records: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """{channel: {since, why}} of those that refused, were told of, and took nothing since."""
    found: dict[str, dict[str, str]] = {}
    for record in records:
        down, event = record.get("down"), record.get("event")
        if event == "sent":
            found.pop(str(record.get("channel")), None)
        if event in ("sent", "unknown"):
            for name, why in (down if isinstance(down, dict) else {}).items():
                found.setdefault(name, {"since": str(record.get("ts")), "why": ""})["why"] = str(why)
    return found
