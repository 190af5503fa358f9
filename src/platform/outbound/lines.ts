import { StringDecoder } from "node:string_decoder";

/** A longer line is cut. */
const longestLine = 64 * 1024;

/** The reader of the lines failed, and not the connection. */
export class LineFailure extends Error {
  override name = "LineFailure";
}

/** Passes on each line of a stream, without its end, one after the other. Throws `LineFailure` for an error of `onLine`. */
export async function readLines(
  chunks: AsyncIterable<Buffer>,
  { onLine, onBytes }: { readonly onLine: (line: string) => Promise<void>; readonly onBytes: () => void },
): Promise<void> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of chunks) {
    onBytes();
    const [first = "", ...others] = decoder.write(chunk).split("\n");
    const lines = [rest + first, ...others];
    rest = (lines.pop() ?? "").slice(0, longestLine);
    for (const line of lines) {
      await onLine(line.replace(/\r$/, "").replaceAll("\0", "\uFFFD")).catch((cause: unknown) => {
        throw new LineFailure("the line was not taken", { cause });
      });
    }
  }
}
