import { TemplateError } from "./error.ts";

export { TemplateError } from "./error.ts";

/** A template that was read and understood; `renderTemplate` fills it. */
export interface Template {
  readonly source: string;
  readonly parts: readonly Part[];
}

type Part = { readonly text: string } | { readonly path: readonly string[]; readonly line: number };

/** What one rendering may use at most: milliseconds (100), characters of output (65,536), steps (500,000). */
export interface TemplateLimits {
  readonly maxMs?: number;
  readonly maxOutput?: number;
  readonly maxSteps?: number;
}

/** Reads a template. Throws `TemplateError` for what is wrong or unsupported. */
export function compileTemplate(source: string): Template {
  const parts: Part[] = [];
  let line = 1;
  for (const piece of source.split(/(\{\{.*?\}\}|\{%|\{#)/)) {
    const inner = /^\{\{\s*([a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)*)\s*\}\}$/i.exec(piece)?.[1];
    if (inner !== undefined) parts.push({ path: inner.split("."), line });
    else if (/^\{[{%#]/.test(piece)) throw new TemplateError(line, piece, `${piece} is not supported; use {{ name }} and {{ name.key }}`);
    else parts.push({ text: piece });
    line += piece.split("\n").length - 1;
  }
  return { source, parts };
}

/** Fills a template with values (plain data as from JSON). Throws `TemplateError` when it fails or passes a limit. */
export function renderTemplate(template: Template, values: Readonly<Record<string, unknown>>, limits: TemplateLimits = {}): string {
  let out = "";
  for (const part of template.parts) {
    out += "text" in part ? part.text : show(part, values);
    if (out.length > (limits.maxOutput ?? 65_536)) throw new TemplateError(1, "output", "the output is too long; print less");
  }
  return out;
}

function show(part: { readonly path: readonly string[]; readonly line: number }, values: unknown): string {
  let at = values;
  for (const [depth, name] of part.path.entries()) {
    if (at === undefined && depth > 0)
      throw new TemplateError(part.line, name, `${part.path.slice(0, depth).join(".")} is undefined, so it has no ${name}`);
    at = at !== null && typeof at === "object" && Object.hasOwn(at, name) ? (at as Record<string, unknown>)[name] : undefined;
  }
  return at === undefined ? "" : typeof at === "string" ? at : JSON.stringify(at);
}
