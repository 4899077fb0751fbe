// Comforts only: every screen works without this file.
"use strict";

const said = document.currentScript.dataset; // the texts of this file, in the language of the page

// The policy allows markup only for parse, whose argument is always an answer of this host.
const answers = window.trustedTypes?.createPolicy("answers", { createHTML: (text) => text });
const parse = (text) => new DOMParser().parseFromString(answers ? answers.createHTML(text) : text, "text/html");

for (const block of document.querySelectorAll(".copy")) {
  const text = block.textContent.trim();
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button slim";
  button.textContent = said.copy;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = said.copied;
    setTimeout(() => { button.textContent = said.copy; }, 2000);
  });
  if (navigator.clipboard) {
    block.classList.add("has-button");
    block.append(button);
  }
}

// If a picture could not be drawn, it is hidden, so that the sign below it is visible.
const missing = (img) => { img.hidden = true; };
addEventListener("error", (event) => { if (event.target.matches?.(".shot img")) missing(event.target); }, true);
for (const img of document.querySelectorAll(".shot img")) if (img.complete && !img.naturalWidth) missing(img);

// A second click on a submit button would cancel the answer to the first one.
for (const form of document.forms) {
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = form.method === "post";
  });
  addEventListener("pageshow", () => { sent = false; });
}

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll(".menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    for (const menu of document.querySelectorAll(".menu[open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  }
  if (event.key === "/" && "shortcuts" in document.documentElement.dataset && !event.ctrlKey && !event.altKey && !event.metaKey && !event.target.closest("input, textarea, select")) {
    const search = document.querySelector("input[type=search]");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  }
});

// A list is filtered while the person types and chooses, and a star does not leave the page.
// If there is no answer, the browser opens the address itself.
for (const form of document.querySelectorAll("form[data-live]")) {
  const list = document.getElementById(form.dataset.live);
  const status = document.getElementById(list.id + "-status");
  let asked, wait;
  const show = async (address, options = {}) => {
    asked?.abort();
    const own = asked = new AbortController();
    const answer = await fetch(address, { ...options, signal: own.signal }).catch(() => null);
    const news = answer?.ok ? parse(await answer.text().catch(() => "")) : null;
    if (own.signal.aborted) return false;
    const part = news?.getElementById(list.id);
    if (!part) {
      location.assign(options.method ? location.href : address);
      return false;
    }
    list.replaceChildren(...part.childNodes);
    const flash = news.querySelector(".flash");
    if (flash) list.before(flash);
    status.textContent = options.method ? "" : part.dataset.said;
    return true;
  };
  const follow = () => {
    const address = new URL(form.action);
    for (const [name, value] of new FormData(form)) if (value) address.searchParams.set(name, value);
    show(address).then((shown) => { if (shown) history.replaceState(null, "", address); });
  };
  form.addEventListener("input", (event) => {
    clearTimeout(wait);
    wait = setTimeout(follow, event.target.type === "search" ? 150 : 0);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(wait);
    follow();
  });
  list.addEventListener("submit", async (event) => {
    if (event.defaultPrevented || !event.target.matches(".star")) return;
    event.preventDefault();
    const action = event.target.getAttribute("action");
    if (await show(action, { method: "POST", body: new URLSearchParams(new FormData(event.target, event.submitter)) }))
      list.querySelector(`form[action="${CSS.escape(action)}"] button`)?.focus({ preventScroll: true });
  });
}

// A file that is too large is refused before it is sent, and files can be dropped.
for (const form of document.querySelectorAll("form[data-max]")) {
  const input = form.querySelector("input[type=file]");
  const problem = form.querySelector(".problem");
  const max = Number(form.dataset.max);
  const check = () => {
    const file = input.files[0];
    const tooLarge = file && file.size > max;
    problem.textContent = tooLarge ? `413 payload too large: ${file.size} bytes, over the ${max}-byte limit` : "";
    input.setCustomValidity(problem.textContent);
    if (tooLarge) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  };
  input.addEventListener("change", check);
  // An upload by script has a progress bar. The script never sends a file a second time,
  // because it may have arrived.
  form.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    const bar = document.createElement("progress");
    bar.setAttribute("aria-label", said.sending);
    form.append(bar);
    addEventListener("pageshow", () => { bar.remove(); }, { once: true });
    const sending = new XMLHttpRequest();
    sending.upload.addEventListener("progress", (sent) => { if (sent.lengthComputable) bar.value = sent.loaded / sent.total; });
    sending.upload.addEventListener("load", () => { bar.removeAttribute("value"); }); // the server reads it now
    sending.addEventListener("loadend", () => {
      if (sending.status === 201) {
        location.assign(sending.getResponseHeader("Location"));
        return;
      }
      const page = parse(sending.responseText);
      problem.textContent = page.querySelector("#" + problem.id)?.textContent || form.dataset.failed;
      input.setAttribute("aria-invalid", "true");
      input.focus();
      dispatchEvent(new Event("pageshow")); // the form can be sent again
    });
    sending.open("POST", form.action);
    sending.setRequestHeader("Prefer", "return=minimal");
    sending.send(new FormData(form));
  });
  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
  form.addEventListener("dragleave", () => { form.classList.remove("over"); });
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    if (event.dataTransfer.files.length > 0) {
      input.files = event.dataTransfer.files;
      check();
    }
  });
}

// Times are in the zone of the browser until the person chooses one.
if ("askZone" in document.documentElement.dataset) {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (timezone) fetch("/account/timezone", { method: "POST", body: new URLSearchParams({ timezone, quiet: "" }) }).catch(() => {});
}

// The page that waits for a client polls, and changes only when there is news, so that screen
// readers do not read it again each minute.
for (const part of document.querySelectorAll("[data-poll]")) {
  const state = () => part.firstElementChild.dataset.state;
  const look = async () => {
    const answer = document.hidden ? null : await fetch(part.dataset.poll, { redirect: "error" }).catch(() => null);
    if (answer && answer.ok) {
      const news = parse(await answer.text()).body.firstElementChild;
      if (news.dataset.state !== state()) part.replaceChildren(news);
    }
    setTimeout(look, 3000);
  };
  setTimeout(look, 3000);
}

// On a phone the tabs scroll: make the current one visible first.
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
