/* What needs the person, and what is used: read-only, for widgets and small windows. The token stands in the fragment,
   which no server sees; a browser that is paired needs none. */
"use strict";
(() => {
  const EVERY_MS = 30_000;
  const place = (id) => document.getElementById(id);
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  let last = null;

  const headers = () => {
    if (token !== null) return { Authorization: `Bearer ${token}` };
    let key = null;
    try {
      key = localStorage.getItem("controlroom.key");
    } catch {
      // Nothing is kept here.
    }
    return key === null ? {} : { "X-Control-Room-Key": key };
  };
  const span = (ms) => {
    const minutes = Math.max(0, Math.round(ms / 60_000));
    if (minutes < 60) return `${minutes} min`;
    return minutes < 2880 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${Math.floor(minutes / 1440)} d`;
  };
  const made = (name, text, kind = "") => {
    const one = document.createElement(name);
    one.textContent = text;
    if (kind !== "") one.className = kind;
    return one;
  };
  const why = { question: "asks", prompt: "waits at a prompt", fault: "is in trouble" };

  const row = (one, nowMs) => {
    const item = made("li", "", "lamp");
    const name = made("span", "");
    name.append(made("bdi", one.name), ` ${why[one.why] ?? "waits"}${one.why === "question" && one.blocking ? ", blocking" : ""}`);
    item.append(name, made("span", span(nowMs - one.since_ms), "num"));
    return item;
  };
  const used = (account) => {
    const parts = [made("h2", "")];
    parts[0].append(made("bdi", account.name));
    for (const one of account.windows) {
      const line = made("li", one.name);
      const text = one.used_pct === null ? "not known" : `${one.at_least ? "≥ " : ""}${Math.round(one.used_pct)} % used`;
      if (one.used_pct !== null) {
        const bar = document.createElement("meter");
        bar.max = 100;
        bar.value = one.used_pct;
        bar.setAttribute("aria-label", `${one.name}, ${text}`);
        line.append(bar);
      }
      line.append(made("span", text, "num"));
      parts.push(line);
    }
    const list = document.createElement("ul");
    list.append(...parts.slice(1));
    return [parts[0], list];
  };
  const show = (glance) => {
    const { needs, working, finished, away, troubles } = glance;
    place("head").textContent = needs === 0 ? "Nothing waits for you" : `${needs} ${needs === 1 ? "thing waits" : "things wait"} for you`;
    const more = [`${working} working`, `${finished} finished`];
    if (away.length > 0) more.push(`not reachable: ${away.join(", ")}`);
    more.push(...troubles);
    place("sum").textContent = more.join(" · ");
    place("waiting").replaceChildren(...glance.waiting.map((one) => row(one, glance.at_ms)));
    place("usage").replaceChildren(...glance.accounts.flatMap(used));
    document.title = `${needs} · Control Room`;
  };
  const trouble = (text) => {
    if (last === null) place("head").textContent = text;
    place("age").textContent = last === null ? "" : `${text} Shown: ${new Date(last).toLocaleTimeString()}.`;
  };
  const look = async () => {
    try {
      const answer = await fetch("/api/v1/glance", { headers: headers(), cache: "no-store", credentials: "same-origin", redirect: "error", signal: AbortSignal.timeout(15_000) });
      if (!answer.ok) return trouble(answer.status === 401 ? "This token does not work, or not any more." : "The control room does not show this here.");
      const glance = await answer.json();
      show(glance);
      last = Date.now();
      place("age").textContent = `As of ${new Date(last).toLocaleTimeString()}.`;
    } catch {
      trouble("The control room is not reachable.");
    }
  };
  void look();
  setInterval(() => document.visibilityState === "visible" && void look(), EVERY_MS);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && void look());
})();
