"""DOMAIN. How a notice gets out when a channel is down: through the next one, in the slot that it has.

Only a channel that certainly took nothing is followed by another. The next notice tries the first again.
"""

from __future__ import annotations

from adjutant.errors import ChannelUnavailable, ConfigInvalid, Stopped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from adjutant.ports import Notifier, Told

REASON_CHARS = 120


class Delivery:
    """What became of a notice: `outcome` and `detail` as its record has them, the `channel` that came last, and why
    each before it is `down`."""

    __slots__ = ("channel", "detail", "down", "outcome")

    def __init__(self, outcome: str, detail: str, channel: str, down: dict[str, str]) -> None:
        self.outcome, self.detail, self.channel, self.down = outcome, detail, channel, down


class Unusable:
    """A channel that could not be built, where another one is to follow."""

    def __init__(self, channel: str, why: str) -> None:
        self.channel, self._why = channel, why

    def send(self, text: str, key: str, buttons: Sequence[Told] = ()) -> None:
        """Refuses."""
        from adjutant.ports import Refused  # brings typing; `status` reads this module and never sends

        raise Refused(self._why)


def built(build: Callable[..., Notifier], name: str, alone: bool) -> Notifier:
    """The channel of that name; where it is `alone`, what is wrong with its settings is raised."""
    try:
        return build(name)
    except (ConfigInvalid, ChannelUnavailable) as error:
        if alone:
            raise
        return Unusable(name, error.message)


def deliver(
    channels: Iterable[Notifier],
    send: Callable[[Notifier, str], None],
    told: Mapping[str, Any],
    stops: Callable[[], tuple[str, str] | None],
    clean: Callable[[str], str],
) -> Delivery:
    """Tries one channel after the other while they refuse. `send(channel, news)` sends the notice with a line of news
    below it; `told`: channels known to be down; `stops` gives (outcome, why) once nothing may leave any more; `clean`
    makes one line of what a channel said."""
    from adjutant.ports import Refused, Uncertain  # as above

    down: dict[str, str] = {}
    name = ""
    for channel in channels:
        if down and (stop := stops()) is not None:
            return Delivery(*stop, name, down)
        name = channel.channel
        news = [f"\n({each} is down: {why[:REASON_CHARS]})" for each, why in down.items() if each not in told]
        try:
            send(channel, "".join(news))
        except Refused as error:
            down[name] = clean(str(error))
            continue
        except Uncertain as error:
            return Delivery("unknown", clean(str(error)), name, down)
        except Stopped:
            return Delivery("paused", "PAUSED was set", name, down)
        return Delivery("sent", "", name, down)
    return Delivery("failed", "; ".join(down.values()), name, down)


def down_now(records: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """{channel: {since, why}} of those that refused, were told of, and took nothing since; `since`: the first notice
    they refused. One that failed with no other to tell it is not told of."""
    found: dict[str, dict[str, str]] = {}
    for record in records:
        down, event = record.get("down"), record.get("event")
        if event == "sent":
            found.pop(str(record.get("channel")), None)
        if event in ("sent", "unknown"):
            for name, why in (down if isinstance(down, dict) else {}).items():
                found.setdefault(name, {"since": str(record.get("ts")), "why": ""})["why"] = str(why)
    return found
