import { join } from "node:path";
import type { Environment } from "nunjucks";
import { packageRoot } from "../../base/version.ts";

/** The mails that there are templates for, each as a page and as plain text. */
export type TemplateName = "alert" | "digest";

interface Environments {
  readonly html: Environment;
  readonly text: Environment;
}

let environments: Promise<Environments> | undefined;

/** Renders our own template of a mail as HTML, everything escaped, and as text. Throws when a template is faulty or misses a value. */
export async function renderMail(name: TemplateName, values: object): Promise<{ readonly html: string; readonly text: string }> {
  environments ??= load();
  const { html, text } = await environments;
  return { html: html.render(`${name}.html.njk`, values), text: text.render(`${name}.txt.njk`, values) };
}

/** Loaded with the first mail: most starts send none. */
async function load(): Promise<Environments> {
  const { default: nunjucks } = await import("nunjucks");
  const loader = () => new nunjucks.FileSystemLoader(join(packageRoot(), "mail-templates"));
  const common = { throwOnUndefined: true, trimBlocks: true, lstripBlocks: true };
  return {
    html: new nunjucks.Environment(loader(), { ...common, autoescape: true }),
    // plain text has nothing to escape
    text: new nunjucks.Environment(loader(), { ...common, autoescape: false }),
  };
}
