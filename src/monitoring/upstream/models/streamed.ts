import { isObject } from "../lenient-json.ts";

/** Where a piece of a streamed answer has its text and its thoughts. */
const textPlaces = [["choices", 0, "delta", "content"], ["choices", 0, "text"], ["message", "content"], ["response"], ["content"]] as const;
const thoughtPlaces = [
  ["choices", 0, "delta", "reasoning_content"],
  ["choices", 0, "delta", "reasoning"],
  ["message", "thinking"],
] as const;

/**
 * Joins an answer that a server streamed although it was asked not to: server-sent events (`data: {...}`), or one JSON object a line.
 * Returns the JSON of a whole answer, or the text as it is if it is not streamed.
 */
export function unstreamed(text: string): string {
  const pieces = piecesOf(text);
  if (pieces === undefined) return text;
  const failed = pieces.find((piece) => piece["error"] !== undefined && piece["error"] !== null);
  if (failed) return JSON.stringify(failed);
  const gemini = pieces.filter((piece) => Array.isArray(piece["candidates"]));
  if (gemini.length > 0) return JSON.stringify(joinedCandidates(gemini));
  const last = pieces.at(-1) ?? {};
  const model = pieces.map((piece) => piece["model"]).find((name) => typeof name === "string");
  const end = pieces
    .map((piece) => valueAt(piece, ["choices", 0, "finish_reason"]) ?? piece["done_reason"] ?? piece["stop_type"])
    .findLast((reason) => typeof reason === "string");
  return JSON.stringify({
    ...(last["stopped_limit"] === true && { stopped_limit: true }),
    content: joined(pieces, textPlaces),
    reasoning_content: joined(pieces, thoughtPlaces),
    ...(model !== undefined && { model }),
    ...(end !== undefined && { finish_reason: end }),
  });
}

type Piece = Readonly<Record<string, unknown>>;

function piecesOf(text: string): readonly Piece[] | undefined {
  const start = text.trimStart();
  const isEvents = /^(?:data|event|id|retry)?:/.test(start);
  const lines = start.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (!isEvents && (lines.length < 2 || !lines.every((line) => /^\s*\{.*\}\s*$/.test(line)))) return undefined;
  const pieces = lines.flatMap((line) => {
    const json = isEvents ? /^data:\s*(.*)$/.exec(line)?.[1] : line;
    if (json === undefined || json.trim() === "[DONE]") return [];
    try {
      const piece: unknown = JSON.parse(json);
      return isObject(piece) ? [piece] : [];
    } catch {
      return [];
    }
  });
  return pieces.length === 0 ? undefined : pieces;
}

function joined(pieces: readonly Piece[], places: readonly (readonly (string | number)[])[]): string {
  return pieces.map((piece) => places.map((place) => valueAt(piece, place)).find((value) => typeof value === "string") ?? "").join("");
}

function joinedCandidates(pieces: readonly Piece[]): object {
  const parts = pieces.flatMap((piece) => {
    const found = valueAt(piece, ["candidates", 0, "content", "parts"]);
    return Array.isArray(found) ? found : [];
  });
  const last = pieces.at(-1);
  return {
    candidates: [{ content: { parts }, finishReason: valueAt(last, ["candidates", 0, "finishReason"]) }],
    modelVersion: last?.["modelVersion"],
  };
}

function valueAt(from: unknown, place: readonly (string | number)[]): unknown {
  return place.reduce<unknown>((value, step) => {
    if (typeof step === "number") return Array.isArray(value) ? value[step] : undefined;
    return isObject(value) ? value[step] : undefined;
  }, from);
}
