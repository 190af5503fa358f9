/** An element of an XML document. Names are without their prefix. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Its own text, without that of its children. */
  readonly text: string;
}

const deepest = 50;
const mostElements = 20_000;

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/**
 * Reads the answers of cameras: elements, attributes and text. It knows no document types, so that a hostile answer cannot make it read
 * anything else. Returns undefined for what is no XML.
 */
export function parseXml(source: string): XmlElement | undefined {
  type Open = { name: string; attributes: Record<string, string>; children: XmlElement[]; text: string };
  const root: Open = { name: "", attributes: {}, children: [], text: "" };
  const stack: Open[] = [root];
  const token =
    /<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<(\/?)(?:[\w.-]+:)?([\w.-]+)((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>|([^<]+)/g;
  let elements = 0;
  for (const [, data, closing, name, rest = "", text] of source.matchAll(token)) {
    const top = stack.at(-1) as Open;
    if (data !== undefined || text !== undefined) top.text += data ?? plainText(text ?? "");
    else if (name === undefined) continue;
    else if (closing === "/") {
      if (stack.length === 1 || top.name !== name) return undefined;
      stack.pop();
    } else {
      elements += 1;
      if (elements > mostElements || stack.length > deepest) return undefined;
      const element = { name, attributes: attributesOf(rest), children: [], text: "" };
      top.children.push(element);
      if (!rest.endsWith("/")) stack.push(element);
    }
  }
  return stack.length === 1 ? root.children[0] : undefined;
}

/** Returns all elements with a name, in the order of the document. */
export function elementsOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  if (!element) return [];
  const below = element.children.flatMap((child) => elementsOf(child, name));
  return element.name === name ? [element, ...below] : below;
}

/** Returns the text of the first element with a name; an empty text without one. */
export function textOf(element: XmlElement | undefined, name: string): string {
  return elementsOf(element, name)[0]?.text.trim() ?? "";
}

/** Writes text into an element. */
export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function attributesOf(text: string): Record<string, string> {
  const found = text.matchAll(/(?:[\w.-]+:)?([\w.-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/g);
  return Object.fromEntries([...found].map(([, name = "", double, single]) => [name, plainText(double ?? single ?? "")]));
}

function plainText(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
