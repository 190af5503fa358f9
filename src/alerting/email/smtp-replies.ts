/** The subject of a mail server's refusal. It decides whether, and how soon, homesec tries again. */
export type ReplyMeaning =
  /** The address does not exist, and no later attempt can reach it. */
  | "no_recipient"
  /** The recipient's mailbox is full, disabled or gets too much at once. */
  | "mailbox"
  /** The provider limits how much the account sends, or holds the account. */
  | "account"
  /** The sender, the login or the rights of this machine: a change of the configuration or of DNS helps. */
  | "configuration"
  | "size"
  /** This message, for a reason that may pass. */
  | "message"
  /** A temporary failure (4xx). */
  | "transient";

/** The command that the server refused. */
export type SmtpStage = "sender" | "recipient" | "message";

interface Row {
  /** Enhanced status code without its class (RFC 3463, RFC 5248): `1.1` for 5.1.1. Empty for a reply without one. */
  readonly codes?: RegExp;
  /** Wordings in lower case; one of them has to occur. A row with codes and words needs both. */
  readonly words?: readonly RegExp[];
  readonly stages?: readonly SmtpStage[];
  readonly meaning: ReplyMeaning;
}

const afterSender: readonly SmtpStage[] = ["recipient", "message"];
const beforeMessage: readonly SmtpStage[] = ["sender", "recipient"];

/**
 * The first row that fits decides. Wording comes before codes, because providers use codes loosely: Exchange Online answers 5.1.8 for an
 * account on hold and 5.2.2 for a sending limit. A refusal that fits no row is about the message and is retried.
 */
const rows: readonly Row[] = [
  { words: [/\btoo (?:big|large)\b/, /\bsize limit/, /\bsize exceed/], meaning: "size" },
  { codes: /^(?:2\.3|3\.4)$/, meaning: "size" },
  {
    words: [
      /\bmailbox\b[^.;]{0,25}\b(?:full|over|quota)/,
      /\bmailbox (?:has )?(?:exceed|reached)/,
      /\bover ?(?:storage ?)?quota\b/,
      /\bstorage (?:allocation|space|quota)/,
      /\bdisk (?:space|quota)/,
      /\bmessages on the server\b/,
      /\breceive limit\b/,
      /\breceiving (?:mail|messages|too)/,
      /\b(?:inactive|disabled|deactivated)\b/,
    ],
    meaning: "mailbox",
  },
  { codes: /^2\.12[12]$/, meaning: "mailbox" },
  {
    words: [
      /\b(?:daily|hourly|sending|send|submission|relay|outgoing|outbound|smtp|rate)[ -]?(?:user |smtp |message |sending )*(?:limit|quota)/,
      /\bexceed\w*[^.;]{0,60}\b(?:limits?|messages?|e-?mails|recipients|rate|volume)\b/,
      /\b(?:messages?|e-?mails|recipients) per (?:second|minute|hour|day)\b/,
      /\btoo many (?:messages|e-?mails)\b/,
      /\bunusual (?:sending )?(?:activity|rate|volume)\b/,
      /\bcredits exceeded\b|submissionquota|throttl/,
    ],
    meaning: "account",
  },
  {
    words: [
      /\bbad outbound sender\b|outbound ?spam|\bverdict is suspend|\bspam abuse\b|\bbanned send/,
      /\b(?:account|sending|outgoing|outbound|sender)\b[^;]{0,60}\b(?:suspended|on hold|held|paused|restricted|locked|blocked)\b/,
    ],
    meaning: "account",
  },
  { codes: /^[47]\.\d+$/, words: [/\b(?:limit|quota)\b/], meaning: "account" },
  { codes: /^(?:1\.90|4\.5|7\.28|7\.23[123]|7\.50\d|7\.511|7\.70\d|7\.750)$/, meaning: "account" },
  {
    words: [
      /\bsender\b|\bfrom address\b|\breturn[- ]path\b|\benvelope from\b/,
      /\bsend ?as ?denied\b/,
      /\bunauthenticated\b|\bnot verified\b/,
    ],
    meaning: "configuration",
  },
  { words: [/\btemporar/, /\btry again later\b/, /\bgr[ea]y-?list/, /\bdeferred\b/], meaning: "message" },
  { codes: /^1\.(?:1|2|3|6|10)$/, stages: afterSender, meaning: "no_recipient" },
  {
    // Codes of other subjects are about routes, rights and contents, whatever the text says
    codes: /^(?:[01245]\.\d+)?$/,
    words: [
      /\bno such (?:\w+ )?(?:user|recipient|mailbox|account|address|person)/,
      /\bno mailbox here\b/,
      /\b(?:unknown|invalid) (?:user|recipient|local[- ]part|mailbox|address|alias)/,
      /\b(?:user|recipient|mailbox|account|address|alias|domain)\b[^.;]{0,80}\b(?:unknown|not known|not found|invalid)\b/,
      /\b(?:user|recipient|mailbox|account|address|alias|domain)\b[^.;]{0,80}(?:\bnot exist|n't exist|\bno longer (?:exists|valid|on server))/,
      /\bdoesn't have an? \S+ account\b/,
      /\bunrouteable address\b/,
      /\bnull ?mx\b/,
    ],
    stages: afterSender,
    meaning: "no_recipient",
  },
  {
    words: [
      /\brelay|\bauthenticat|\blog ?in\b|\bcredential/,
      /\b(?:spf|dkim|dmarc|ptr|dnsbl)\b|\breverse dns\b/,
      /\bblack-?list|\bblock[ -]?list|\bspamhaus\b|\breputation\b|\bclient host\b/,
      /\bnot allowed to send\b|\bnot (?:yet )?activated\b/,
    ],
    meaning: "configuration",
  },
  { codes: /^(?:1\.[78]|2\.252|7\.(?:8|1[0134]|2[0-7]|57|60|64))$/, meaning: "configuration" },
  { codes: /^7\.\d+$/, stages: beforeMessage, meaning: "configuration" },
  { codes: /^2\.\d+$/, meaning: "mailbox" },
];

/** The meanings that a temporary reply can have too: then homesec tries less often. */
const slowMeanings: ReadonlySet<ReplyMeaning> = new Set(["mailbox", "account", "size"]);

/** Says what a refusal (4xx or 5xx, on one line) at this stage is about. Only a 5xx that is not about the sender can mean `no_recipient`. */
export function meaningOf(reply: string, stage: SmtpStage): ReplyMeaning {
  const { isPermanent, code, words } = partsOf(reply);
  const row = rows.find((each) => {
    if (each.codes !== undefined && !each.codes.test(code)) return false;
    if (each.words !== undefined && !each.words.some((wording) => wording.test(words))) return false;
    return each.stages?.includes(stage) ?? true;
  });
  const meaning = row?.meaning ?? "message";
  if (isPermanent || slowMeanings.has(meaning)) return meaning;
  return "transient";
}

/** Takes a reply apart. The enhanced code stands behind the reply code, or in brackets at the end (qmail). */
function partsOf(reply: string): { readonly isPermanent: boolean; readonly code: string; readonly words: string } {
  const [, enhancedClass, code = ""] = /^\d{3}[ -]#?([245])\.(\d{1,3}\.\d{1,3})(?!\.?\d)/.exec(reply) ??
    /\(#([45])\.(\d{1,3}\.\d{1,3})\)/.exec(reply) ?? [undefined, undefined];
  // Each line of a reply of several lines begins with the codes again
  const words = reply.replace(/(?:^|\s)\d{3}[ -](?:#?[245]\.\d{1,3}\.\d{1,3}(?!\.?\d))?/g, " ");
  return { isPermanent: reply.startsWith("5") && enhancedClass !== "4", code, words: words.replace(/\s+/g, " ").toLowerCase() };
}
