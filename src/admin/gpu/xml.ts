/** An element of a document: its children in order and its own text, without attributes. */
export interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const token =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<![^>]*>|<(\/?)([A-Za-z_][\w.:-]*)(?:"[^"]*"|'[^']*'|[^"'>])*?(\/?)>|([^<]+)/g;

/**
 * Parses the elements of an XML document as programs print them: no namespaces, no external entities. Throws an `Error` if elements are
 * not closed, for example because the text was cut off.
 */
export function readXml(text: string): XmlElement {
  interface Open {
    readonly name: string;
    text: string;
    readonly children: Open[];
  }
  const root: Open = { name: "", text: "", children: [] };
  const path: Open[] = [root];
  for (const [, data, closes, name, empty, plain] of text.matchAll(token)) {
    const current = path.at(-1) as Open;
    if (plain !== undefined) current.text += plain.replace(/&(\w+);/g, (whole, entity: string) => entities[entity] ?? whole);
    else if (data !== undefined) current.text += data;
    else if (name === undefined) continue;
    else if (closes) {
      if (path.length < 2 || current.name !== name) throw new Error(`the XML closes ${name} where ${current.name || "nothing"} is open`);
      path.pop();
    } else {
      const element: Open = { name, text: "", children: [] };
      current.children.push(element);
      if (!empty) path.push(element);
    }
  }
  const [document, ...others] = root.children;
  if (path.length > 1 || !document || others.length > 0) throw new Error("the XML is not one whole document");
  return document;
}
