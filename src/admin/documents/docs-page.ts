/** The only stylesheet of the page; the content security policy allows exactly these bytes. */
export const docsStyle = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem 1.5rem 4rem; }
h1 { margin-bottom: 0; } h2 { margin-top: 2.5rem; text-transform: capitalize; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .4rem 0; }
summary { cursor: pointer; padding: .4rem .8rem; } details > div { padding: 0 .8rem .8rem; }
code, pre { font: .875rem/1.5 ui-monospace, monospace; } pre { background: var(--soft); overflow-wrap: anywhere; padding: .6rem; white-space: pre-wrap; border-radius: .4rem; }
.method { display: inline-block; font-weight: 700; min-width: 5rem; } .summary { color: #888; margin-left: .6rem; }
table { border-collapse: collapse; width: 100%; } td, th { border-bottom: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top; }
nav a { margin-right: .8rem; } .example pre { border-left: .2rem solid #2a7; } .headers { color: #888; font-size: .875rem; }
`;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** An inline example, or a reference to a shared one. */
interface Example {
  readonly $ref?: string;
  readonly summary?: string;
  readonly value?: unknown;
}

interface Media {
  readonly schema?: unknown;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example>>;
}

interface Header {
  readonly $ref?: string;
  readonly description?: string;
}

interface Content {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, Media>>;
}

interface Operation {
  readonly summary?: string;
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Content>>;
}

/** The parts of an OpenAPI document that the page shows. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, unknown>>;
    readonly examples?: Readonly<Record<string, Example>>;
    readonly headers?: Readonly<Record<string, Header>>;
  };
}

/** Renders an OpenAPI document as one HTML page without scripts and network requests. */
export function docsPage(document: ApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation, tag: operation.tags?.[0] ?? "other" })),
  );
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const sections = tags.map((tag) => {
    const rows = operations.filter((one) => one.tag === tag).map(({ path, method, operation }) => operationHtml(method, path, operation));
    return `<h2 id="${text(tag)}">${text(tag)}</h2>\n${rows.join("\n")}`;
  });
  const { schemas = {}, examples = {}, headers = {} } = document.components ?? {};
  const records = Object.entries(schemas).map(
    ([name, schema]) =>
      `<details id="schema-${text(name)}"><summary><code>${text(name)}</code></summary><div>${json(schema)}</div></details>`,
  );
  const refusals = Object.entries(examples).map(
    ([name, example]) => `<tr id="example-${text(name)}"><td><code>${text(name)}</code></td><td>${exampleHtml(example)}</td></tr>`,
  );
  const headerRows = Object.entries(headers).map(
    ([name, { description = "" }]) => `<tr id="header-${text(name)}"><td><code>${text(name)}</code></td><td>${text(description)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(document.info.title)} API</title>
<style>${docsStyle}</style>
</head>
<body>
<h1>${text(document.info.title)} API</h1>
<p>Version ${text(document.info.version)}. The same for machines: <a href="openapi.json">openapi.json</a></p>
${document.info.description ? `<p>${text(document.info.description)}</p>` : ""}
<nav>${tags.map((tag) => `<a href="#${text(tag)}">${text(tag)}</a>`).join("\n")} <a href="#refusals">refusals</a> <a href="#headers">headers</a> <a href="#records">records</a></nav>
${sections.join("\n")}
<h2 id="refusals">Refusals</h2>
<table>${refusals.join("\n")}</table>
<h2 id="headers">Headers of answers</h2>
<table>${headerRows.join("\n")}</table>
<h2 id="records">Records</h2>
${records.join("\n")}
</body>
</html>
`;
}

function operationHtml(method: string, path: string, operation: Operation): string {
  const parameters = operation.parameters ?? [];
  const table =
    parameters.length === 0
      ? ""
      : `<h4>Parameters</h4><table><tr><th>name</th><th>in</th><th>what</th></tr>${parameters.map(parameterHtml).join("")}</table>`;
  const responses = Object.entries(operation.responses ?? {}).map(
    ([status, content]) =>
      `<tr><td>${text(status)}</td><td>${text(content.description ?? "")}${contentHtml(content)}${headersHtml(content)}</td></tr>`,
  );
  return `<details id="${text(operation.operationId ?? `${method}-${path}`)}">
<summary><span class="method">${text(method.toUpperCase())}</span><code>${text(path)}</code><span class="summary">${text(operation.summary ?? "")}</span></summary>
<div>${table}${operation.requestBody ? `<h4>Body</h4>${contentHtml(operation.requestBody)}` : ""}
<h4>Answers</h4><table>${responses.join("")}</table></div>
</details>`;
}

function parameterHtml(parameter: Parameter): string {
  const { description, ...schema } = parameter.schema ?? {};
  const what = parameter.description ?? (typeof description === "string" ? description : "");
  return `<tr><td><code>${text(parameter.name)}</code>${parameter.required ? " (required)" : ""}</td><td>${text(parameter.in)}</td><td>${text(what)}${Object.keys(schema).length > 0 ? ` <code>${text(JSON.stringify(schema))}</code>` : ""}</td></tr>`;
}

/** Renders a body: its schema and an example. */
function contentHtml(content: Content): string {
  return Object.entries(content.content ?? {})
    .map(([type, { schema, example, examples = {} }]) => {
      const shown: readonly [string, Example][] = example === undefined ? Object.entries(examples) : [["Example", { value: example }]];
      const rows = shown.map(([name, one]) => (one.$ref === undefined ? exampleHtml(one, name) : `, as ${link(one.$ref, name)}`));
      return ` <code>${text(type)}</code>${schemaHtml(schema)}${rows.join("")}`;
    })
    .join("");
}

/** Renders a reference as the name of its record, any other schema in full. */
function schemaHtml(schema: unknown): string {
  if (typeof schema !== "object" || schema === null) return "";
  const [[key, value] = [], ...others] = Object.entries(schema);
  const reference = key === "$ref" && others.length === 0 ? String(value) : undefined;
  return reference === undefined ? json(schema) : ` ${link(reference, reference.split("/").at(-1) ?? "")}`;
}

function exampleHtml({ summary, value }: Example, name = ""): string {
  return `<div class="example">${text(summary ?? name)}${json(value)}</div>`;
}

function headersHtml({ headers = {} }: Content): string {
  const names = Object.entries(headers).map(([name, { $ref = "" }]) => link($ref, name));
  return names.length === 0 ? "" : `<div class="headers">Headers: ${names.join(", ")}</div>`;
}

/** Anchor prefix of each kind of component. */
const anchors: Readonly<Record<string, string>> = { schemas: "schema", examples: "example", headers: "header" };

function link(reference: string, name: string): string {
  const [kind = "", component = ""] = reference.split("/").slice(-2);
  return `<a href="#${text(anchors[kind] ?? kind)}-${text(component)}">${text(name)}</a>`;
}

/** Renders JSON with its references as links. */
function json(value: unknown): string {
  const shown = text(JSON.stringify(value, undefined, 2) ?? "");
  return `<pre>${shown.replaceAll(/#\/components\/schemas\/(\w+)/g, '<a href="#schema-$1">$1</a>')}</pre>`;
}

function text(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
