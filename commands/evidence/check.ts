import { pluralize } from "../../src/base/text/format.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { recordCommand } from "../command-shapes.ts";
import { exitCodes } from "../exit-codes.ts";
import { integer, text } from "../input/options.ts";
import { fieldsOf, type View } from "../output/view.ts";

type Chain = ReplyOf<"checkEvidenceChain">;

const chainView: View<Chain> = {
  plural: "checks",
  fields: fieldsOf("checkEvidenceChain"),
  id: ({ head }) => head?.hash ?? "",
  columns: [],
  details: ({ is_unchanged, days, first_day, head, findings, noted_day }) => [
    ["result", is_unchanged ? { text: "unchanged", paint: "green" } : { text: pluralize(findings.length, "finding"), paint: "red" }],
    ["sealed days", { text: first_day === null ? "none yet" : `${days}, since ${first_day}` }],
    ...(head === null
      ? []
      : ([
          ["newest", { text: head.day }],
          ["hash", { text: head.hash, paint: "bold" }],
          ["signed by", { text: head.public_key }],
        ] as const)),
    ...(noted_day === null ? [] : [["noted hash", { text: `that of ${noted_day}` }] as const]),
  ],
  more: ({ findings, unreadable_days }) =>
    [
      ...findings.map(({ day, message }) => `${day}: ${message}`),
      ...(unreadable_days === 0 ? [] : [`${pluralize(unreadable_days, "day")} sealed with another key file: only the seals were checked`]),
    ].join("\n"),
};

/** Checks the records of the home against the seals of its days. */
export const checkEvidence = recordCommand({
  name: "evidence check",
  summary: "Check that no record was changed by hand",
  description:
    "homesec seals each day some hours after its end. This compares events, detections, alerts, pictures in the ledger, changes by people, and the journal with the seals, and names each day and table that something other than homesec changed. Exits with 0 if nothing differs, and 7 if something does.",
  options: {
    days: integer("days", 1, 36_525, "Check only the newest days (default all)"),
    against: text("hash", "Hash of a day that you noted elsewhere"),
  },
  examples: [
    { command: "homesec evidence check", note: "all sealed days" },
    { command: "homesec evidence check --days 7", note: "quicker" },
    { command: "homesec evidence check -o id", note: "the newest hash, to note down elsewhere" },
    { command: "homesec evidence check --against 9f86d081884c7d65", note: "finds that all days were sealed again since" },
  ],
  view: chainView,
  record: (io, { options }) => io.call("checkEvidenceChain", { query: options }),
  exitCode: ({ is_unchanged }) => (is_unchanged ? exitCodes.ok : exitCodes.findings),
});
