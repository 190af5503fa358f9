/** A parsed mail. Headers by lower-case name, decoded. */
export interface ParsedMail {
  readonly headers: Readonly<Record<string, string>>;
  /** The names of all headers as received. */
  readonly headerNames: readonly string[];
  readonly text: string;
  readonly html: string;
  readonly pictures: readonly { readonly id: string; readonly type: string; readonly disposition: string; readonly bytes: Buffer }[];
}

interface Part {
  readonly headers: Readonly<Record<string, string>>;
  readonly headerNames: readonly string[];
  readonly body: Buffer;
}

/** Parses a mail like a mail program: headers, nested parts, encodings. */
export function parseMail(raw: Buffer): ParsedMail {
  const top = partOf(raw);
  const leaves = leavesOf(top);
  const bodyOf = (type: string): string =>
    leaves
      .find((part) => part.headers["content-type"]?.startsWith(type))
      ?.body.toString("utf8")
      .replaceAll("\r\n", "\n") ?? "";
  return {
    headers: top.headers,
    headerNames: top.headerNames,
    text: bodyOf("text/plain"),
    html: bodyOf("text/html"),
    pictures: leaves
      .filter((part) => part.headers["content-type"]?.startsWith("image/"))
      .map(({ headers, body }) => ({
        id: (headers["content-id"] ?? "").replace(/^<|>$/g, ""),
        type: headers["content-type"]?.split(";")[0] ?? "",
        disposition: headers["content-disposition"] ?? "",
        bytes: body,
      })),
  };
}

function leavesOf(part: Part): readonly Part[] {
  const boundary = /^multipart\/.*boundary="?([^";]+)"?/i.exec(part.headers["content-type"] ?? "")?.[1];
  if (boundary === undefined) return [{ ...part, body: decoded(part) }];
  const pieces = part.body.toString("latin1").split(`--${boundary}`).slice(1, -1);
  return pieces.flatMap((piece) => leavesOf(partOf(Buffer.from(piece.replace(/^\r\n|\r\n$/g, ""), "latin1"))));
}

function partOf(raw: Buffer): Part {
  const text = raw.toString("latin1");
  const end = text.indexOf("\r\n\r\n");
  const lines = text
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const fields = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), words(line.slice(colon + 1).trim())] as const;
  });
  return {
    headers: Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value])),
    headerNames: fields.map(([name]) => name),
    body: Buffer.from(text.slice(end + 4), "latin1"),
  };
}

function decoded({ headers, body }: Part): Buffer {
  switch ((headers["content-transfer-encoding"] ?? "").toLowerCase()) {
    case "base64":
      return Buffer.from(body.toString("latin1"), "base64");
    case "quoted-printable":
      return quotedPrintable(body.toString("latin1").replace(/=\r\n/g, ""));
    default:
      return body;
  }
}

function quotedPrintable(text: string): Buffer {
  return Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
}

/** `=?UTF-8?Q?...?=` */
function words(value: string): string {
  return value
    .replace(/(\?=)\s+(=\?)/g, "$1$2")
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, encoding: string, content: string) =>
      (encoding.toLowerCase() === "b" ? Buffer.from(content, "base64") : quotedPrintable(content.replaceAll("_", " "))).toString("utf8"),
    );
}
