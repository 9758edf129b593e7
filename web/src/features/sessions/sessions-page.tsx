import { Layers } from "lucide-react";
import type { Session } from "@/api/client";
import type { ChangeAddress } from "@/lib/address";
import { orderIn, sortedBy } from "@/lib/sort";
import { CodeLine } from "@/ui/code-line";
import { FilterBar } from "@/ui/filter-bar";
import { Headings } from "@/ui/list";
import { Empty, Failure, Skeleton } from "@/ui/notice";
import { PageTitle } from "@/ui/page-title";
import { useNotice } from "@/ui/use-notice";
import { moreOf, VirtualGrid } from "@/ui/virtual-grid";
import { SessionRow } from "./session-row";
import css from "./sessions-page.module.css";
import { type SessionsSearch, sessionsSearch } from "./url";
import { useLiveSessions } from "./use-live-sessions";

const COLUMNS = [
  { name: "Status", hidden: true },
  { name: "Session" },
  { name: "Traces", number: true },
  { name: "Calls", number: true },
  { name: "Errors", number: true },
  { name: "Model calls", number: true },
  { name: "Tool calls", number: true },
  { name: "Tokens", sort: "tokens", number: true },
  { name: "Cost", sort: "cost", number: true },
  { name: "Duration", sort: "duration", number: true },
  { name: "From – to", number: true },
  { name: "Last activity", sort: "time", number: true },
] as const;

const SET = 'inspector.context.set("my-session")';

interface Props {
  search: SessionsSearch;
  change: ChangeAddress<SessionsSearch>;
  /** Show the runs of a session, here or in another tab. */
  onOpen: (sessionId: string, elsewhere: boolean) => void;
}

/** All sessions, live, by default with the latest activity first. */
export function SessionsPage({ search, change, onOpen }: Props) {
  const { query, sessions } = useLiveSessions(search);
  const notice = useNotice(search);
  const list = JSON.stringify(search);
  return (
    <div className={css.page}>
      <PageTitle title="Sessions" />
      <FilterBar
        filter={search}
        fields={[]}
        search={false}
        notice={notice}
        onChange={(next) => {
          const { sort, order } = search;
          void change(() => sessionsSearch({ ...next, sort, order }));
        }}
      />
      {query.isPending ? (
        <Skeleton rows={12} />
      ) : query.isError && sessions.length === 0 ? (
        <Failure error={query.error} retry={() => void query.refetch()} />
      ) : sessions.length === 0 ? (
        <NoSessions narrow={search.since !== undefined || search.until !== undefined} />
      ) : (
        <Listed key={list} {...{ list, search, change, onOpen, query, sessions }} />
      )}
    </div>
  );
}

interface ListedProps extends Props {
  list: string;
  query: ReturnType<typeof useLiveSessions>["query"];
  sessions: Session[];
}

function Listed({ list, search, change, onOpen, query, sessions }: ListedProps) {
  return (
    <VirtualGrid
      label="Sessions"
      noun="session"
      className={css.sessions}
      lines={2}
      items={sessions}
      keyOf={idOf}
      list={list}
      head={
        <Headings
          columns={COLUMNS}
          by={orderIn(search)}
          onSort={(column) => void change((before) => sortedBy(before, column))}
        />
      }
      more={moreOf(query)}
      onMore={query.fetchNextPage}
      onOpen={(session) => onOpen(session.session_id, false)}
      row={(session, place) => <SessionRow key={session.session_id} session={session} {...place} onOpen={onOpen} />}
    />
  );
}

function idOf(session: Session): string {
  return session.session_id;
}

function NoSessions({ narrow }: { narrow: boolean }) {
  const icon = <Layers size={28} aria-hidden />;
  if (narrow) return <Empty title="No session was active at that time" icon={icon} />;
  return (
    <Empty title="No session yet" icon={icon}>
      <p>A session groups runs that belong together, such as those of one conversation. Name it before a run starts:</p>
      <CodeLine text={SET} label="Copy the line" />
    </Empty>
  );
}
