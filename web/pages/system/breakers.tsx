import { healthRoutes } from "../../../src/contract/routes/system-health.ts";
import { pipelineRoutes } from "../../../src/contract/routes/system-pipeline.ts";
import { For } from "../../api/use-may.tsx";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import { Section } from "../../parts/page.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { Ago, useFormat } from "../../texts/format.tsx";

const colours = { closed: "text-good", open: "text-critical", half_open: "text-medium" } as const;

/** Whether homesec asks each AI service, and a way to ask again at once. */
export function Breakers() {
  const { system } = useAdminTexts();
  const format = useFormat();
  const attempt = useAttempt();
  const breakers = useReply(pipelineRoutes.listBreakers, {}, { everyMs: 3_000 });
  const reset = useAction(pipelineRoutes.resetBreaker, [pipelineRoutes.listBreakers, healthRoutes.getFullHealth]);
  return (
    <Section title={system.services}>
      <p className="mb-2 text-sm text-soft">{system.servicesHint}</p>
      <Loaded reply={breakers} waiting={<div className="h-60" />}>
        {({ breakers: all }) => (
          <ul className="rounded-xl border border-line bg-card px-4">
            {all.map(({ name, state, failure_count, last_failure, last_success, reset_at }) => (
              <li key={name} className="flex flex-wrap items-center justify-between gap-2 border-b border-line py-2 last:border-0">
                <div className="min-w-0">
                  <p>
                    <span className="font-medium">{system.service[name as keyof typeof system.service] ?? name}</span>
                    {" · "}
                    <span className={`font-semibold ${colours[state]}`}>{system.breaker[state]}</span>
                  </p>
                  <p className="text-sm text-soft">
                    {failure_count > 0 && `${system.failures(failure_count)} · `}
                    {reset_at && `${system.trial(format.time(reset_at))} · `}
                    {last_success ? (
                      <>
                        {system.answered} <Ago time={last_success} />
                      </>
                    ) : last_failure ? (
                      <>
                        {system.failed} <Ago time={last_failure} />
                      </>
                    ) : (
                      system.unasked
                    )}
                  </p>
                </div>
                {(state !== "closed" || failure_count > 0) && (
                  <For who="owner">
                    <Button
                      isBusy={reset.isRunning}
                      onClick={() => void attempt(reset.run({ params: { name } }), ({ message }) => message)}
                    >
                      {system.reset}
                    </Button>
                  </For>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}
