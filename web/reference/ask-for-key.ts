/** Asks for an API key. The key stays in this tab only. */
export function askForKey(place: HTMLElement, fault: string, onKey: (key: string) => void): void {
  const heading = element("h1", { textContent: "homesec API" });
  const hint = element("p", { textContent: "homesec asks for an API key. If you sign in on the web page, this page needs no key." });
  const label = element("label", { textContent: "API key " });
  const input = element("input", { type: "password", autocomplete: "current-password", required: true });
  label.append(input);
  const alert = element("p", { textContent: fault, role: "alert" });
  const form = element("form", { className: "ask" });
  form.append(heading, hint, label, alert, element("button", { type: "submit", textContent: "Show the reference" }));
  form.addEventListener("submit", (submitted) => {
    submitted.preventDefault();
    onKey(input.value.trim());
  });
  place.replaceChildren(form);
  input.focus();
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), properties);
}
