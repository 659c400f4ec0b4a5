"""OPINION. Prompt templates: the instance's own if it has one, else the package's; rendered in Jinja2's sandbox."""

import traceback
from collections.abc import Mapping
from typing import Any

from jinja2 import FunctionLoader, StrictUndefined, Template, TemplateSyntaxError
from jinja2.sandbox import SandboxedEnvironment

from adjutant.errors import ConfigInvalid
from adjutant.store import package
from adjutant.store.files import Files

MAX_BYTES, MAX_CHARS = 256 * 1024, 2 * 1024 * 1024


def load(files: Files, name: str) -> Template:
    """The template for `name` ("brief.md"). Raises ConfigInvalid naming prompts/NAME:LINE, FileDamaged, IoFailed."""
    path = files.tree.template(name)
    if not files.exists(path):
        return _compile(read_packaged(name), f"adjutant/prompts/{name}")
    shown = files.tree.relative(path)
    try:
        return _compile(files.text(path, MAX_BYTES), shown)
    except FileNotFoundError:
        raise ConfigInvalid(f"{shown}: a link that leads nowhere", "mend or remove the link") from None


def render(template: Template, variables: Mapping[str, Any]) -> str:
    """Its text with exactly these variables. Raises ConfigInvalid naming prompts/NAME:LINE for one that fails."""
    shown = template.filename or ""
    try:
        text = template.render(variables)
    except Exception as error:  # a template is the operator's own code and may fail in any way
        frames = reversed(traceback.extract_tb(error.__traceback__))  # which Jinja2 has rewritten
        line = next((frame.lineno or 1 for frame in frames if frame.filename == shown), 1)
        raise _broken(shown, line, error) from error
    if len(text) > MAX_CHARS:
        raise ConfigInvalid(f"{shown}: renders to {len(text)} characters, more than the {MAX_CHARS} allowed")
    return text


def read_packaged(name: str) -> str:
    """The template that comes with the package."""
    return package.text("prompts", name)


def _compile(source: str, shown: str) -> Template:
    loader = FunctionLoader(lambda name: (source, shown, None))
    environment = SandboxedEnvironment(loader=loader, undefined=StrictUndefined, autoescape=False)
    try:
        return environment.get_template(shown)
    except TemplateSyntaxError as error:
        raise _broken(shown, error.lineno, error) from None


def _broken(shown: str, line: int, error: Exception) -> ConfigInvalid:
    what = " ".join(str(error).split())[:200]
    fix = f"repair the line, or delete {shown} to use the template that comes with Adjutant"
    return ConfigInvalid(f"{shown}:{line}: {what}", fix, {"line": line})
