import { useState } from 'react';
import { useParams } from 'wouter';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useSession } from '../../session/session.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { MemberList, INVITATIONS_KEY, RoleChoices } from './member-list.tsx';
import './members-page.css';
import { ROLE_NAMES, ROLE_TEXTS, isRole } from './role-texts.ts';
import type { NewInvitation, Invitation } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { Secret } from '../../parts/secret.tsx';
import { Time } from '../../parts/time.tsx';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ReferenceLink } from '../../parts/reference-link.tsx';
import type { Column } from '../../parts/table.tsx';
import { WholeList } from '../../parts/whole-list.tsx';

const MEMBERS = { href: '/members', title: 'Members' };
const INVITATIONS = { href: '/members/invitations', title: 'Open invitations' };

/** The members of the account and, for its owners, open invitations. */
export function MembersPage() {
  const { list } = useParams();
  const [isInviting, setInviting] = useState(false);
  const isOwner = useSession().member.role === 'owner';
  if (list !== undefined && (list !== 'invitations' || !isOwner)) return <NotFoundPage />;
  return (
    <Page
      title="Members"
      lead="Everyone with access to this account, and their roles."
      actions={
        isOwner && (
          <Button type="button" kind="primary" onClick={() => setInviting(true)}>
            Invite a member
          </Button>
        )
      }
    >
      {isOwner && <Tabs label="Lists" tabs={[MEMBERS, INVITATIONS]} />}
      <RoleList />
      {list === undefined ? <MemberList /> : <InvitationList />}
      {isInviting && <InviteDialogs onClose={() => setInviting(false)} />}
    </Page>
  );
}

/** The permissions of each role, in a line. */
function RoleList() {
  return (
    <section className="panel" aria-labelledby="roles">
      <h2 id="roles">Roles</h2>
      <dl className="role-list">
        {ROLE_NAMES.map((role) => (
          <div key={role}>
            <dt>{ROLE_TEXTS[role].title}</dt>
            <dd>{ROLE_TEXTS[role].may}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Invites a person, then shows the link once. */
function InviteDialogs({ onClose }: { readonly onClose: () => void }) {
  const withFreshFactor = useFreshCall();
  const client = useQueryClient();
  const invite = useMutation({
    mutationFn: (body: Parameters<typeof account.createInvitation>[0]) =>
      withFreshFactor(() => account.createInvitation(body)),
    onSuccess: () => client.invalidateQueries({ queryKey: INVITATIONS_KEY }),
  });
  if (invite.data !== undefined) return <NewInvitationDialog invitation={invite.data} onClose={onClose} />;
  return (
    <FormDialog
      title="Invite a member"
      description="The link works once, within seven days. An earlier invitation for the same email stops working."
      action="Create the invitation"
      call={invite}
      operation={['Members', 'createInvitation']}
      onSubmit={(form) => {
        const role = readForm(form, 'role');
        if (isRole(role)) invite.mutate({ email: readForm(form, 'email').trim(), role });
      }}
      onClose={onClose}
    >
      <Field
        name="email"
        type="email"
        label="Email"
        hint="The invited person signs in with it."
        autoComplete="off"
        required
      />
      <RoleChoices chosen="viewer" />
    </FormDialog>
  );
}

function NewInvitationDialog({
  invitation: { email, link, expires_at, is_mailed },
  onClose,
}: {
  readonly invitation: NewInvitation;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title="Invitation created" onClose={onClose} isSticky>
      <p>
        {is_mailed ? `The link was sent to ${email}. It` : `Send this link to ${email}. It`} works once, until{' '}
        <Time at={expires_at} />.
      </p>
      <Secret text={link} label="Copy the link" />
      <div className="actions">
        <Button type="button" kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}

const LIST_INVITATIONS = ['Members', 'listInvitations'] as const;

/** Open invitations, and a way to withdraw them. */
function InvitationList() {
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
