import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListedSession } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ReferenceLink } from '../../parts/reference-link.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { WholeList } from '../../parts/whole-list.tsx';
import { describeDevice } from './describe-device.ts';

const LIST_SESSIONS = ['Sign-in', 'listSessions'] as const;

/** The sessions of the member, and buttons to end them. */
export function SessionPanel() {
  const [ended, setEnded] = useState<ListedSession | 'others'>();
  const client = useQueryClient();
  const close = () => setEnded(undefined);
  const onDone = (): void => {
    close();
    void client.invalidateQueries({ queryKey: SESSIONS_KEY });
  };
  const columns: readonly Column<ListedSession>[] = [
    ...COLUMNS,
    {
      title: 'Actions',
      kind: 'actions',
      share: 0.7,
      show: (session) =>
        !session.is_current && (
          <Button
            type="button"
            aria-label={`End the session of ${describeDevice(session.user_agent)}`}
            onClick={() => setEnded(session)}
          >
            End
          </Button>
        ),
    },
  ];
  return (
    <section className="panel" aria-labelledby="sessions">
      <div className="panel-head">
        <h2 id="sessions">Sessions in this account</h2>
        <ReferenceLink operation={LIST_SESSIONS} />
      </div>
      <div className="setting">
        <p className="muted">If you do not recognise a session, end it and change your password.</p>
        <Button type="button" onClick={() => setEnded('others')}>
          End all others
        </Button>
      </div>
      <WholeList
        caption="Sessions"
        queryKey={SESSIONS_KEY}
        read={async (signal) => (await account.listSessions({ signal })).sessions.toReversed()}
        columns={columns}
        keyOf={({ session_id }) => session_id}
        operation={LIST_SESSIONS}
        empty={{ title: 'No sessions' }}
      />
      {ended === 'others' && (
        <ConfirmDialog
          title="End all other sessions?"
          description="All sessions of your login except this one end at once, in other accounts as well."
          verb="End them"
          act={() => account.endOtherSessions()}
          onDone={onDone}
          onClose={close}
        />
      )}
      {ended !== undefined && ended !== 'others' && (
        <ConfirmDialog
          title="End this session?"
          description={`${describeDevice(ended.user_agent)}${ended.address === undefined ? '' : `, from ${ended.address}`}, is signed out at once.`}
          verb="End the session"
          act={() => account.endSession(ended.session_id)}
          onDone={onDone}
          onClose={close}
        />
      )}
    </section>
  );
}

const COLUMNS: readonly Column<ListedSession>[] = [
  {
    title: 'Device',
    share: 1.5,
    show: ({ user_agent, is_current }) => (
      <span title={user_agent}>
        {describeDevice(user_agent)} {is_current && <Badge tone="good">this one</Badge>}
      </span>
    ),
  },
  { title: 'Address', show: ({ address }) => address ?? 'unknown' },
  { title: 'Since', show: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Ends', show: ({ expires_at }) => <Time at={expires_at} /> },
];

/** Key of the query that holds the sessions of the member. */
export const SESSIONS_KEY = ['sessions'] as const;
