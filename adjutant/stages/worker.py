"""STAGE. worker: works the steps of other machines. It needs adjutant.yaml and .env, no other file of an instance."""

from adjutant.app import App, Args, Outcome
from adjutant.errors import MirrorUnavailable, UsageError


def run(app: App, args: Args) -> Outcome:
    """{status}, when it was stopped or, with --burst, nothing waits."""
    if app.dry_run:
        raise UsageError("a worker has no dry run: a step that was taken has to be worked")
    redis = app.queue()
    from redis.exceptions import RedisError

    from adjutant.jobs import remote  # brings rq

    try:
        redis.ping()
    except RedisError as error:
        raise MirrorUnavailable(f"the queue's Redis: {type(error).__name__}", "start it; docs/workers.md") from None
    app.say("worker: takes steps as they come; SIGTERM or Ctrl-C ends it after the one under way")
    remote.start(redis, app, name=args.name, burst=args.burst)
    return Outcome({"status": "stopped"}, ["worker: stopped"])
