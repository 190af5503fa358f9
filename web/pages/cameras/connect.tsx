import { useState } from "react";
import type { z } from "zod";
import type { ReceiverProtocol } from "../../../src/contract/constants.ts";
import type { Reply } from "../../../src/contract/route.ts";
import type { ReplyOf } from "../../../src/contract/routes/index.ts";
import { type DeliveryFault, receiverRoutes } from "../../../src/contract/routes/receivers.ts";
import { useAction, useReply } from "../../api/use-reply.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { useAdminTexts } from "../../texts/admin.ts";
import { DaemonText } from "../../texts/daemon-text.tsx";
import { Ago } from "../../texts/format.tsx";
import { MailRules } from "./mail-rules.tsx";

type CameraLogin = ReplyOf<"listReceivers">["logins"][number];
type NewLogin = Reply<typeof receiverRoutes.createCameraLogin>;

const protocols: readonly ReceiverProtocol[] = ["ftp", "mail", "http"];
const live = { everyMs: 5_000 } as const;
/** Faults that are shown; the newest says most. */
const mostFaults = 3;

/** Lets a camera deliver by FTP, mail or HTTP: what to enter in the camera, its logins, and what it does wrong. */
export function Connect({ cameraId }: { readonly cameraId: string }) {
  const { connect } = useAdminTexts();
  const attempt = useAttempt();
  const [made, setMade] = useState<NewLogin>();
  const { data } = useReply(receiverRoutes.listReceivers, { query: { camera_id: cameraId, fault_minutes: 60 } }, live);
  const create = useAction(receiverRoutes.createCameraLogin, [receiverRoutes.listReceivers]);
  const remove = useAction(receiverRoutes.deleteCameraLogin, [receiverRoutes.listReceivers]);
  const has = (protocol: ReceiverProtocol): boolean => data?.logins.some((login) => login.protocol === protocol) === true;
  const add = async (protocol: ReceiverProtocol): Promise<void> => {
    setMade(await attempt(create.run({ params: { camera_id: cameraId, protocol }, body: {} })));
  };
  const end = async (protocol: ReceiverProtocol): Promise<void> => {
    await attempt(remove.run({ params: { camera_id: cameraId, protocol } }), connect.removed);
    if (made?.protocol === protocol) setMade(undefined);
  };
  const failed = data?.receivers.filter(({ protocol, state }) => state === "failed" && has(protocol)) ?? [];
  return (
    <div className="grid gap-3">
      <p className="text-sm text-soft">{connect.hint}</p>
      <div className="flex flex-wrap gap-2">
        {protocols
          .filter((protocol) => !has(protocol))
          .map((protocol) => (
            <Button key={protocol} disabled={create.isRunning} onClick={() => void add(protocol)}>
              {connect.by[protocol]}
            </Button>
          ))}
      </div>
      {made && <Settings login={made} />}
      {data?.logins.map((login) => (
        <Login key={login.protocol} login={login} onRenew={() => void add(login.protocol)} onRemove={() => void end(login.protocol)} />
      ))}
      {failed.map(({ protocol, fault }) => (
        <p key={protocol} className="text-sm text-critical">
          {connect.closed(connect.by[protocol])} {fault !== null && <DaemonText>{fault}</DaemonText>}
        </p>
      ))}
      {data && data.logins.length > 0 && <Faults faults={data.recent_faults} />}
    </div>
  );
}

interface LoginProps {
  readonly login: CameraLogin;
  readonly onRenew: () => void;
  readonly onRemove: () => void;
}

/** A login of the camera: when it was used, and a recorder's rules. */
function Login({ login, onRenew, onRemove }: LoginProps) {
  const { connect } = useAdminTexts();
  const { protocol, username, last_connected_at, last_delivery_at, file_count } = login;
  return (
    <div className="rounded-lg border border-line p-3 text-sm">
      <p className="font-medium">
        {connect.by[protocol]} · {username}
      </p>
      <p className="text-soft">
        {last_connected_at ? connect.connected : connect.neverConnected} {last_connected_at && <Ago time={last_connected_at} />}
        {last_delivery_at && ` · ${connect.files(file_count)}`}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <ConfirmButton look="plain" text={connect.renew} title={`${connect.renew}: ${connect.by[protocol]}`} onConfirm={onRenew}>
          {connect.renewSure}
        </ConfirmButton>
        <ConfirmButton text={connect.remove} title={`${connect.remove}: ${connect.by[protocol]}`} onConfirm={onRemove}>
          {connect.removeSure}
        </ConfirmButton>
      </div>
      {protocol === "mail" && <MailRules login={login} />}
    </div>
  );
}

/** What to enter in the camera. The password is shown here only. */
function Settings({ login: { protocol, settings } }: { readonly login: NewLogin }) {
  const { connect } = useAdminTexts();
  const rows: readonly (readonly [label: string, text: string | null])[] = [
    ...(settings.url === null
      ? ([
          [connect.server, settings.host ?? location.hostname],
          [connect.port, String(settings.port)],
        ] as const)
      : ([[connect.address, settings.url]] as const)),
    [connect.username, settings.username],
    [connect.password, settings.password],
    [connect.folder, settings.folder],
    [connect.recipient, settings.recipient],
  ];
  return (
    <section className="rounded-xl border border-accent p-4" aria-label={connect.enter}>
      <p className="font-medium">{connect.enter}</p>
      <p className="text-sm text-soft">{connect.enterHint[protocol]}</p>
      {rows.map(
        ([label, text]) =>
          text !== null && (
            <div key={label} className="mt-2">
              <p className="text-sm font-medium">{label}</p>
              <CopyText label={label} text={text} />
            </div>
          ),
      )}
    </section>
  );
}

function Faults({ faults }: { readonly faults: readonly z.output<typeof DeliveryFault>[] }) {
  return (
    <ul role="status" className="text-sm text-high empty:hidden">
      {faults.slice(0, mostFaults).map(({ occurred_at, client, message }) => (
        <li key={`${occurred_at.getTime()} ${client} ${message}`} className="break-words">
          <Ago time={occurred_at} /> · {client}: <DaemonText>{message}</DaemonText>
        </li>
      ))}
    </ul>
  );
}
