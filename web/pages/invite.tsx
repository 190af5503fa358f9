import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "wouter";
import type { ClientReply } from "../../src/contract/client.ts";
import { Problem } from "../../src/contract/problem.ts";
import { invitationEnds, keyRoutes } from "../../src/contract/routes/keys.ts";
import { call } from "../api/client.ts";
import { rememberRole } from "../api/use-may.tsx";
import { useReply } from "../api/use-reply.ts";
import { Button } from "../parts/button.tsx";
import { OpenPage } from "../parts/open-page.tsx";
import { Failure } from "../parts/states.tsx";
import { useMoreTexts } from "../texts/more.ts";
import { useTexts } from "../texts/texts.tsx";

/** Signs this device in by an invitation, or says why the invitation no longer works and what to do. */
export default function InvitePage() {
  const texts = useTexts();
  const token = useParams()["token"] ?? "";
  const { data, error, refetch } = useQuery({
    queryKey: [keyRoutes.getInvitation.path, token],
    queryFn: ({ signal }) => call(keyRoutes.getInvitation, { params: { token } }, signal),
    // afterwards it is used up, which would be the last thing that the page says
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data) return <Offer token={token} invitation={data} />;
  if (!error) return <OpenPage title="homesec">{texts.common.loading}</OpenPage>;
  return <Refused error={error} onRetry={() => void refetch()} />;
}

interface OfferProps {
  readonly token: string;
  readonly invitation: ClientReply<typeof keyRoutes.getInvitation>;
}

function Offer({ token, invitation: { name, role } }: OfferProps) {
  const { invite } = useMoreTexts();
  const [isRunning, setRunning] = useState(false);
  const [fault, setFault] = useState<Error>();
  const accept = async (): Promise<void> => {
    setRunning(true);
    try {
      const session = await call(keyRoutes.startSession, { body: { token } });
      rememberRole(session.role);
      location.replace("/");
    } catch (error) {
      setFault(error as Error);
      setRunning(false);
    }
  };
  if (fault) return <Refused error={fault} onRetry={() => void accept()} />;
  return (
    <OpenPage title={invite.title}>
      <p>
        {invite.as(name)} {invite.may[role]}
      </p>
      <Button look="main" className="min-h-12 w-full text-base" isBusy={isRunning} onClick={() => void accept()}>
        {invite.submit}
      </Button>
      <p className="text-sm text-soft">{invite.stays}</p>
    </OpenPage>
  );
}

function Refused({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const { invite } = useMoreTexts();
  const session = useReply(keyRoutes.getSession, {});
  const end = endOf(error);
  if (end === undefined) {
    return (
      <OpenPage title="homesec">
        <Failure error={error} onRetry={onRetry} />
      </OpenPage>
    );
  }
  if (session.data?.kind === "session" && session.data.name !== null) {
    return (
      <OpenPage title={invite.signedIn(session.data.name)}>
        <a href="/" className="flex min-h-12 items-center justify-center rounded-lg bg-accent px-4 font-medium text-on-accent">
          {invite.toStart}
        </a>
      </OpenPage>
    );
  }
  return (
    <OpenPage title={invite.ends[end]}>
      <p className="text-soft">
        {invite[`${end}Hint`]} {invite.again}
      </p>
      <p className="rounded-lg bg-raised p-3 text-center font-mono text-sm">homesec keys invite NAME</p>
    </OpenPage>
  );
}

/** Why an invitation does not work; undefined for other errors. */
function endOf(error: Error): keyof typeof invitationEnds | "unknown" | undefined {
  if (!(error instanceof Problem)) return undefined;
  if (error.kind === "not_found" || error.kind === "invalid") return "unknown";
  return (["used", "expired"] as const).find((end) => error.message.startsWith(invitationEnds[end]));
}
