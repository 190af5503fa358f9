import { join } from "node:path";
import type { Environment } from "nunjucks";
import { packageRoot } from "../../base/version.ts";

/** The mail templates, each as HTML and as plain text. */
export type TemplateName = "alert" | "digest" | "summary";

interface Environments {
  readonly html: Environment;
  readonly text: Environment;
}

let environments: Promise<Environments> | undefined;

/** Renders a mail template as HTML, with all values escaped, and as text. Throws when the template is faulty or lacks a value. */
export async function renderMail(name: TemplateName, values: object): Promise<{ readonly html: string; readonly text: string }> {
  environments ??= load();
  const { html, text } = await environments;
  return { html: html.render(`${name}.html.njk`, values), text: text.render(`${name}.txt.njk`, values) };
}

/** Runs with the first mail, since most processes send none. */
async function load(): Promise<Environments> {
  const { default: nunjucks } = await import("nunjucks");
  const loader = () => new nunjucks.FileSystemLoader(join(packageRoot(), "mail-templates"));
  const common = { throwOnUndefined: true, trimBlocks: true, lstripBlocks: true };
  return {
    html: new nunjucks.Environment(loader(), { ...common, autoescape: true }),
    // Plain text needs no escaping
    text: new nunjucks.Environment(loader(), { ...common, autoescape: false }),
  };
}
