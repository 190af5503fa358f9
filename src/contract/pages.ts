/**
 * The addresses of the web page, with `:name` for a part that differs. The daemon answers each of them with the page, which shows what the
 * address says; links in messages and of the command line lead to them.
 */
export const pagePaths = [
  "/",
  "/review",
  "/events/:id",
  "/incidents/:id",
  "/alerts",
  "/cameras",
  "/cameras/:id",
  "/day",
  "/day/:date",
  "/people",
  "/people/:id",
  "/insights",
  "/search",
  "/rules",
  "/rules/new",
  "/rules/:id",
  "/silences",
  "/system",
  "/system/processing",
  "/system/storage",
  "/welcome",
  "/settings",
  "/settings/channels",
  "/settings/recipients",
  "/settings/webhooks",
  "/settings/webhooks/:id",
  "/settings/modes",
  "/settings/keys",
  "/settings/configuration",
  "/login",
  "/shared/:token",
  "/invite/:token",
] as const;

/** An address of the web page. */
export type PagePath = (typeof pagePaths)[number];
