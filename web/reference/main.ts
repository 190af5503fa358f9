import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import { bytesAsText, keyHeaders } from "../../src/contract/tail/address.ts";
import { askForKey } from "./ask-for-key.ts";
import { nameControls } from "./name-controls.ts";
import { plainTexts } from "./plain-texts.ts";
import "swagger-ui-dist/swagger-ui.css";
import "./reference.css";

/** The page is at `/docs`, or at `/prefix/docs` behind a proxy with a path. */
const prefix = new URL(".", location.href).pathname.replace(/\/$/, "");

/** Makes Swagger UI light or dark, as the system is. */
function followScheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = (): void => void document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", apply);
  apply();
}

/** Loads the description of the API with the rights of the session or a key. */
async function load(key: string | undefined): Promise<Response> {
  return await fetch(`${prefix}/openapi.json`, { headers: keyHeaders(key) });
}

function show(place: HTMLElement, description: object, key: string | undefined): void {
  place.replaceChildren();
  const shown = SwaggerUI({
    spec: {
      ...description,
      servers: [{ url: prefix === "" ? "/" : prefix }],
      externalDocs: { description: "openapi.json", url: `${location.origin}${prefix}/openapi.json` },
    },
    domNode: place,
    plugins: [plainTexts],
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: "none",
    defaultModelsExpandDepth: 0,
    filter: true,
    syntaxHighlight: { theme: "nord" },
    // its default sends the address of the description to a service on the internet
    validatorUrl: null,
    onComplete: () => {
      if (key !== undefined) shown.preauthorizeApiKey("header", bytesAsText(key));
    },
  });
}

/** Shows the reference; asks for a key if homesec wants one. */
async function open(place: HTMLElement, key: string | undefined): Promise<void> {
  try {
    const response = await load(key);
    const body: unknown = await response.json();
    if (response.ok) return show(place, body as object, key);
    const { detail } = body as { readonly detail?: unknown };
    const fault = typeof detail === "string" ? detail : `homesec answered ${response.status}`;
    if (response.status === 401 || response.status === 403) askForKey(place, key === undefined ? "" : fault, (typed) => open(place, typed));
    else showFault(place, fault);
  } catch {
    showFault(place, "homesec does not answer. Check that it is running, and reload this page.");
  }
}

function showFault(place: HTMLElement, text: string): void {
  const line = document.createElement("p");
  line.className = "state";
  line.role = "alert";
  line.textContent = text;
  place.replaceChildren(line);
}

const place = document.getElementById("reference") as HTMLElement;
followScheme();
nameControls(place);
void open(place, undefined);
