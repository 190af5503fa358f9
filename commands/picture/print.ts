import { Problem } from "../../src/contract/problem.ts";
import type { Io } from "../io.ts";
import { askTerminal } from "./ask-terminal.ts";
import { decode } from "./decode.ts";
import { drawn, type Screen } from "./graphics.ts";
import { cellsFor, halfBlocks } from "./half-blocks.ts";
import { depthOf, type ScreenIn, type ScreenOut, sizeOf } from "./terminal.ts";

/** Part of the screen that a picture between lines of text may cover. */
const share = 1 / 2;

/**
 * Prints the picture of a detection with box and label below a record, at most half as high as the screen. Prints nothing for programs:
 * without a terminal, without colours, and in other formats than table. A picture that cannot be had is a note.
 */
export async function printPicture(io: Io, detectionId: number | undefined): Promise<void> {
  const { output, host } = io;
  if (detectionId === undefined || output.format !== "table" || output.fields !== undefined || !output.terminal.colour) return;
  const stdout = host.stdout as typeof host.stdout & Pick<ScreenOut, "rows">;
  try {
    const { bytes } = await io.call("getDetectionThumbnail", { params: { detection_id: detectionId } });
    const { columns, rows } = sizeOf(stdout);
    const screen = await screenOf(io);
    const image = await decode(bytes, screen?.protocol === "sixel");
    const room = { columns, rows: Math.max(1, Math.floor(rows * share)) };
    stdout.write(screen ? inline(drawn(screen, image, cellsFor(image, room)), cellsFor(image, room).rows) : blocks(io, image, room));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    output.note(`no picture: ${error.message}`);
  }
}

function blocks({ host }: Io, image: Parameters<typeof halfBlocks>[0], room: Parameters<typeof halfBlocks>[1]): string {
  return `${halfBlocks(image, room, depthOf(host.env, true)).join("\n")}\n`;
}

/** Makes room below the cursor first, so that the screen does not scroll while the picture is drawn. */
function inline(picture: string, rows: number): string {
  return `${"\n".repeat(rows)}\u001b[${rows}A\u001b7${picture}\u001b8\u001b[${rows}B`;
}

/** How the terminal draws pictures; undefined for text. It is asked only if its answer can be read. */
async function screenOf({ host }: Io): Promise<Screen | undefined> {
  const { stdin, stdout, env } = host;
  if (stdin.isTTY !== true || !("setRawMode" in stdin)) return undefined;
  const keyboard = stdin as typeof stdin & ScreenIn;
  try {
    const { protocol, cell } = await askTerminal(keyboard, stdout, env);
    return protocol && { protocol, cell };
  } finally {
    keyboard.setRawMode(false);
    keyboard.pause();
  }
}
