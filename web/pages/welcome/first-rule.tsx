import { Link } from "wouter";
import { cameraRoutes } from "../../../src/contract/routes/cameras.ts";
import { notificationRoutes } from "../../../src/contract/routes/notifications.ts";
import { ruleRoutes } from "../../../src/contract/routes/rules.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import { everyCamera } from "../../parts/names.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { useFormat } from "../../texts/format.tsx";
import { useMoreTexts } from "../../texts/more.ts";
import { type TemplateName, templateDraft } from "../rules/templates.tsx";
import type { RuleRecord } from "./progress.ts";

/** The templates that suit every home; the others need a choice of cameras. */
const names = ["people-at-night", "people-away", "people", "serious", "silent"] as const satisfies readonly TemplateName[];

/** Rules that are created by one tap. They send to every channel that is set up. */
export function FirstRule({ rules }: { readonly rules: readonly RuleRecord[] }) {
  const { welcome } = useAdminTexts();
  const texts = useMoreTexts();
  const { zone } = useFormat();
  const attempt = useAttempt();
  const config = useReply(notificationRoutes.getNotificationConfig, {});
  const { data } = useReply(cameraRoutes.listCameras, everyCamera);
  const create = useAction(ruleRoutes.createRule, [ruleRoutes.listRules]);
  const add = (name: TemplateName): void => {
    const context = { texts, zone, cameras: data?.cameras ?? [], channels: config.data?.available_channels ?? [] };
    void attempt(create.run({ body: templateDraft(name, context) }), welcome.ruleAdded);
  };
  return (
    <>
      <p className="mb-3">{welcome.ruleHint}</p>
      <ul className="grid gap-2 sm:grid-cols-2">
        {names.map((name) => {
          const template = texts.rules.templates[name];
          const isThere = rules.some((rule) => rule.name === template.name);
          return (
            <li key={name}>
              <Button className="h-full min-h-11 w-full flex-col" isBusy={create.isRunning || isThere} onClick={() => add(name)}>
                {template.name}
                <span className="text-sm font-normal text-soft">{isThere ? welcome.isDone : template.hint}</span>
              </Button>
            </li>
          );
        })}
      </ul>
      <Link href="/rules/new" className="mt-3 inline-flex min-h-11 items-center text-accent underline">
        {welcome.otherRules}
      </Link>
    </>
  );
}
