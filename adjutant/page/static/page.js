// Comfort only: with this file gone every link and form works. Keys, a page that changes by itself, an answer that grows.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("scripted");
  const main = () => document.getElementById("main");
  const items = () => [...document.querySelectorAll("main [data-item]")];
  const current = () => document.activeElement && document.activeElement.closest("[data-item]");
  let here = main() ? main().dataset.here : "";
  let place = 0; // of the item that had the focus: its successor takes it when it goes

  const focusAt = (at) => {
    const all = items();
    if (!all.length) return;
    place = Math.max(0, Math.min(at, all.length - 1));
    all[place].focus({ preventScroll: true });
    all[place].scrollIntoView({ block: "nearest" });
  };
  const step = (by) => {
    const at = items().indexOf(current());
    focusAt(at < 0 ? (by > 0 ? 0 : items().length - 1) : at + by);
  };
  const act = (name) => {
    const one = current() && current().querySelector(`[data-act="${name}"]`);
    if (!one) return false;
    if (one.tagName === "INPUT") { one.focus(); one.select(); } else one.click();
    return true;
  };
  const help = () => { const box = document.getElementById("keys"); if (box && !box.open) box.showModal(); };
  const search = () => {
    const field = document.querySelector("[data-search]");
    if (field) field.focus(); else document.getElementById("nav-memory").click();
  };

  document.addEventListener("keydown", (event) => {
    const writing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === "Escape" && writing) { const one = current(); if (one) one.focus(); else event.target.blur(); return; }
    if (writing && event.key === "Enter" && event.target.name === "until") {
      event.preventDefault();
      event.target.form.querySelector('[value="snooze"]').click();
      return;
    }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.tagName === "TEXTAREA") {
      event.target.form.requestSubmit();
      return;
    }
    if (writing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const nav = document.querySelector(`nav [data-key="${event.key}"]`);
    const known = { j: () => step(1), k: () => step(-1), "?": help, "/": search };
    if (nav) nav.click();
    else if (known[event.key]) known[event.key]();
    else if (!"xsuwar".includes(event.key) || !act(event.key)) return;
    event.preventDefault();
  });
  document.addEventListener("click", (event) => { if (event.target.closest("[data-help]")) help(); });
  document.addEventListener("focusin", () => { const at = items().indexOf(current()); if (at >= 0) place = at; });

  // Forms and links swap the page's middle in place; where htmx is not there they do what forms and links do.
  const boost = () => {
    if (!window.htmx) return;
    document.body.setAttribute("hx-boost", "true");
    window.htmx.process(document.body);
  };
  const isBusy = () => /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement && document.activeElement.tagName)
    || document.querySelector("main details[open], [data-growing]:not([hidden]), dialog[open], .htmx-request");
  const put = (text) => {
    const found = new DOMParser().parseFromString(text, "text/html").getElementById("main");
    if (!found) return;
    const held = current() && current().id, at = items().indexOf(current());
    const fresh = document.importNode(found, true);
    main().replaceWith(fresh);
    if (window.htmx) window.htmx.process(fresh);
    const same = held && document.getElementById(held);
    if (same) same.focus({ preventScroll: true }); else if (at >= 0) focusAt(at);
    begin();
  };
  const refresh = async () => {
    const where = location.href;
    if (isBusy() || document.querySelector("[role=alert]")) return; // an answer to a press stays until it is read
    const answer = await fetch(where).catch(() => undefined);
    const text = answer && answer.ok && await answer.text();
    if (text && where === location.href && !isBusy()) put(text); // somebody may have begun to write meanwhile
  };
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target === document.body) {
      if (main().dataset.here !== here) { here = main().dataset.here; place = 0; begin(); return; }
      if (items().length && document.activeElement === document.body && main().dataset.here !== "ask") focusAt(place);
    }
    begin();
  });

  let stream;
  const listen = () => {
    if (stream || !window.EventSource || !main()) return;
    stream = new EventSource("/live");
    stream.addEventListener("changed", refresh);
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { if (stream) stream.close(); stream = undefined; } else { listen(); refresh(); }
  });

  const ask = async (form) => {
    const box = document.querySelector("[data-growing]"), text = box.querySelector("p");
    const body = new URLSearchParams(new FormData(form));
    form.querySelector("button").disabled = true;
    box.hidden = false;
    text.textContent = "…";
    let whole = "";
    try {
      const answer = await fetch("/ask", { method: "POST", body, headers: { "X-Stream": "yes" } });
      if (!answer.ok) { put(await answer.text()); main().focus(); return; }
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        whole += piece.value;
        if (whole.includes("\f")) whole = whole.slice(whole.lastIndexOf("\f") + 1);
        text.textContent = whole || "…";
      }
    } finally { box.hidden = true; }
    put(await (await fetch("/ask")).text());
    const last = items().pop();
    if (last) { last.focus({ preventScroll: true }); last.scrollIntoView({ block: "nearest" }); }
  };
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-stream]");
    if (form && window.fetch && window.TextDecoderStream) { event.preventDefault(); event.stopImmediatePropagation(); ask(form); }
  }, true);

  const begin = () => { if (document.querySelector("[data-again]")) setTimeout(refresh, 1000); };
  boost();
  listen();
  begin();
})();
