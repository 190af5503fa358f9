import { useLocation, useSearchParams } from "wouter";
import { cameraRoutes } from "../../src/contract/routes/cameras.ts";
import { notificationRoutes } from "../../src/contract/routes/notifications.ts";
import { ruleRoutes } from "../../src/contract/routes/rules.ts";
import { zoneRoutes } from "../../src/contract/routes/zones.ts";
import { useAction, useReply } from "../api/use-reply.ts";
import { everyCamera } from "../parts/names.tsx";
import { Page } from "../parts/page.tsx";
import { Loaded } from "../parts/states.tsx";
import { useToast } from "../parts/toast.tsx";
import { useFormat } from "../texts/format.tsx";
import { useMoreTexts } from "../texts/more.ts";
import { type Draft, draftOf } from "./rules/draft.ts";
import { usableChannels } from "./rules/effects.tsx";
import { RuleForm } from "./rules/form.tsx";
import { Templates, templateDraft } from "./rules/templates.tsx";

/** A new rule: first a template in words, then its form. `?from=` names the template, `?copy=` a rule to copy. */
export default function NewRulePage() {
  const { rules } = useMoreTexts();
  const [search] = useSearchParams();
  const [from, copy] = [search.get("from"), search.get("copy")];
  return (
    <Page title={rules.add}>
      {copy !== null ? <Copy key={copy} id={copy} /> : from !== null ? <FromTemplate key={from} name={from} /> : <Templates />}
    </Page>
  );
}

function Copy({ id }: { readonly id: string }) {
  const { rules } = useMoreTexts();
  const rule = useReply(ruleRoutes.getRule, { params: { id } });
  return <Loaded reply={rule}>{(data) => <NewForm base={{ ...draftOf(data), name: rules.copyOf(data.name) }} />}</Loaded>;
}

/** The channels that work are chosen from the start: a rule that tells no one is rarely meant. */
function FromTemplate({ name }: { readonly name: string }) {
  const texts = useMoreTexts();
  const { zone } = useFormat();
  const cameras = useReply(cameraRoutes.listCameras, everyCamera);
  const config = useReply(notificationRoutes.getNotificationConfig, {});
  const zones = useReply(zoneRoutes.listAllZones, {});
  return (
    <Loaded reply={cameras}>
      {(known) => (
        <Loaded reply={config}>
          {(data) => {
            if (zones.isPending) return null;
            const usable = usableChannels(data);
            const channels = usable.length === 0 ? null : usable;
            const context = { texts, zone, cameras: known.cameras, zones: zones.data?.zones ?? [], channels };
            return <NewForm base={templateDraft(name, context)} />;
          }}
        </Loaded>
      )}
    </Loaded>
  );
}

function NewForm({ base }: { readonly base: Draft }) {
  const { rules } = useMoreTexts();
  const toast = useToast();
  const [, go] = useLocation();
  const create = useAction(ruleRoutes.createRule, [ruleRoutes.listRules]);
  const save = async (draft: Draft): Promise<void> => {
    await create.run({ body: draft });
    toast(rules.saved(draft.name));
    go("/rules");
  };
  return <RuleForm base={base} save={save} />;
}
