import type { WebhookDefinition } from "../webhook.ts";
import { botMarkdown } from "./bot-markdown.ts";
import { chatBlocks } from "./chat-blocks.ts";
import { chatEmbeds } from "./chat-embeds.ts";
import type { Message } from "./message.ts";
import { teamCards } from "./team-cards.ts";

/** Writes a message as one chat platform accepts it: the JSON body, with all text escaped and within the platform's limits. */
type ChatFormat = (message: Message, webhook: Pick<WebhookDefinition, "url" | "custom_headers">) => object;

/**
 * The chat platforms. To add one: a file in this folder, an entry here and a value of `integrationTypes` in
 * `src/contract/constants.ts`.
 */
export const chatFormats: Readonly<Record<Exclude<WebhookDefinition["integration_type"], "generic">, ChatFormat>> = {
  chat_blocks: chatBlocks,
  chat_embeds: chatEmbeds,
  bot_markdown: botMarkdown,
  team_cards: teamCards,
};
