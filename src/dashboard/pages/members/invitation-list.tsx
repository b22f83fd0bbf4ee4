import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Invitation } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ReferenceLink } from '../../parts/reference-link.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { WholeList } from '../../parts/whole-list.tsx';
import { INVITATIONS_KEY } from './keys.ts';
import { ROLE_TEXTS } from './role-texts.ts';

const LIST_INVITATIONS = ['Members', 'listInvitations'] as const;

/** Invitations that nobody has accepted yet, and how to withdraw one. */
export function InvitationList() {
  const [withdrawn, setWithdrawn] = useState<Invitation>();
  const client = useQueryClient();
  const close = () => setWithdrawn(undefined);
  const columns: readonly Column<Invitation>[] = [
    ...COLUMNS,
    {
      title: 'Actions',
      kind: 'actions',
      share: 0.9,
      show: (invitation) => (
        <Button
          type="button"
          aria-label={`Withdraw the invitation of ${invitation.email}`}
          onClick={() => setWithdrawn(invitation)}
        >
          Withdraw
        </Button>
      ),
    },
  ];
  return (
    <section className="panel wide-table" aria-labelledby="invitations">
      <div className="panel-head">
        <h2 id="invitations">Open invitations</h2>
        <ReferenceLink operation={LIST_INVITATIONS} />
      </div>
      <WholeList
        caption="Open invitations"
        queryKey={INVITATIONS_KEY}
        read={async (signal) => (await account.listInvitations({ signal })).invitations}
        columns={columns}
        keyOf={({ invitation_id }) => invitation_id}
        operation={LIST_INVITATIONS}
        empty={{
          title: 'No open invitations',
          children: <p>Invite a member to give someone a login of their own.</p>,
        }}
        waitingRows={2}
      />
      {withdrawn !== undefined && (
        <ConfirmDialog
          title="Withdraw the invitation?"
          description={`The link for ${withdrawn.email} stops working at once.`}
          verb="Withdraw it"
          act={() => account.withdrawInvitation(withdrawn.invitation_id)}
          onDone={() => {
            close();
            void client.invalidateQueries({ queryKey: INVITATIONS_KEY });
          }}
          onClose={close}
        />
      )}
    </section>
  );
}

const COLUMNS: readonly Column<Invitation>[] = [
  { title: 'Email', share: 1.6, show: ({ email }) => email },
  { title: 'Role', share: 0.8, show: ({ role }) => ROLE_TEXTS[role].title },
  { title: 'Created', show: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Expires', show: ({ expires_at }) => <Time at={expires_at} /> },
];
