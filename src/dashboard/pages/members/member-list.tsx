import { useQueryClient, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Member, RemovedMember, ChangedRole, Role } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { SESSION_KEY } from '../../calls/query-client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ReferenceLink } from '../../parts/reference-link.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { WholeList } from '../../parts/whole-list.tsx';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { LeaveDialog } from '../../session/leave-dialog.tsx';
import { useSession } from '../../session/session.tsx';
import { ROLE_TEXTS, isRole, ROLE_NAMES } from './role-texts.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { readForm } from '../../parts/read-form.ts';

/** Keys, tokens and webhooks of a removed or demoted member, which continue to work. */
type Left = Omit<RemovedMember, 'completed_at'> & { readonly name: string };

type Shown = { readonly kind: 'role' | 'remove' | 'leave'; readonly member: Member };

const LIST_MEMBERS = ['Members', 'listMembers'] as const;

/** The members; owners change roles and remove members, everyone may leave. */
export function MemberList() {
  const [shown, setShown] = useState<Shown>();
  const [left, setLeft] = useState<Left>();
  const { member: self } = useSession();
  const withFreshFactor = useFreshCall();
  const client = useQueryClient();
  const close = () => setShown(undefined);
  const reload = (): void => {
    close();
    void client.invalidateQueries({ queryKey: MEMBERS_KEY });
    void client.invalidateQueries({ queryKey: SESSION_KEY });
  };
  const columns: readonly Column<Member>[] = [
    {
      title: 'Member',
      share: 1.7,
      show: ({ member_id, name, email }) => (
        <span className="cell-lines">
          <span>
            {name} {member_id === self.member_id && <span className="muted">(you)</span>}
          </span>
          <span className="muted">{email}</span>
        </span>
      ),
    },
    ...COLUMNS,
    {
      title: 'Actions',
      kind: 'actions',
      share: 1.9,
      show: (member) => (
        <Actions
          member={member}
          isSelf={member.member_id === self.member_id}
          isOwner={self.role === 'owner'}
          onChoose={(kind) => setShown({ kind, member })}
        />
      ),
    },
  ];
  return (
    <section className="panel wide-table" aria-labelledby="members">
      <div className="panel-head">
        <h2 id="members">Members</h2>
        <ReferenceLink operation={LIST_MEMBERS} />
      </div>
      {left !== undefined && <LeftNotice left={left} />}
      <WholeList
        caption="Members"
        queryKey={MEMBERS_KEY}
        read={async (signal) => (await account.listMembers({ signal })).members}
        columns={columns}
        keyOf={({ member_id }) => member_id}
        operation={LIST_MEMBERS}
        empty={{ title: 'No members' }}
      />
      {shown?.kind === 'role' && (
        <ChangeRoleDialog
          member={shown.member}
          onChanged={(made) => {
            setLeft({ name: shown.member.name, ...made });
            reload();
          }}
          onClose={close}
        />
      )}
      {shown?.kind === 'leave' && <LeaveDialog onClose={close} />}
      {shown?.kind === 'remove' && (
        <ConfirmDialog
          title={`Remove ${shown.member.name}?`}
          description={`${shown.member.email} is signed out of this account at once, and keys and tokens of those sessions stop working. So do open invitations and set-up links of this member. Keys, tokens and webhooks of the account stay; those that this member created are listed afterwards.`}
          verb="Remove the member"
          act={async () => {
            const made = await withFreshFactor(() => account.removeMember(shown.member.member_id));
            setLeft({ name: shown.member.name, ...made });
          }}
          onDone={reload}
          onClose={close}
        />
      )}
    </section>
  );
}

function LeftNotice({ left: { name, keys, tokens, webhooks } }: { readonly left: Left }) {
  const kinds = [
    { title: 'API keys', href: '/keys', made: keys.map((key) => key.name) },
    { title: 'Access tokens', href: '/keys/tokens', made: tokens.map((token) => token.name) },
    { title: 'Webhooks', href: '/webhooks', made: webhooks.map((hook) => `${hook.name} (${hook.url})`) },
  ].filter(({ made }) => made.length > 0);
  if (kinds.length === 0) return null;
  return (
    <div role="status">
      <p>
        These were created by {name} or with tokens of {name}, and continue to work. Rotate, revoke or delete
        what {name} should not keep:
      </p>
      <ul>
        {kinds.map(({ title, href, made }) => (
          <li key={href}>
            <Link href={href}>{title}</Link>: {made.join(', ')}
          </li>
        ))}
      </ul>
    </div>
  );
}

type ActionsProps = {
  readonly member: Member;
  readonly isSelf: boolean;
  readonly isOwner: boolean;
  readonly onChoose: (kind: Shown['kind']) => void;
};

function Actions({ member: { name }, isSelf, isOwner, onChoose }: ActionsProps) {
  return (
    <>
      {isOwner && (
        <Button type="button" aria-label={`Change role of ${name}`} onClick={() => onChoose('role')}>
          Change role
        </Button>
      )}
      {isSelf ? (
        <Button type="button" aria-label="Leave the account" onClick={() => onChoose('leave')}>
          Leave
        </Button>
      ) : (
        isOwner && (
          <Button type="button" aria-label={`Remove ${name}`} onClick={() => onChoose('remove')}>
            Remove
          </Button>
        )
      )}
    </>
  );
}

const COLUMNS: readonly Column<Member>[] = [
  { title: 'Role', share: 0.8, show: ({ role }) => ROLE_TEXTS[role].title },
  {
    title: 'Second factor',
    show: ({ has_second_factor }) => (
      <span>{has_second_factor ? <Badge tone="good">on</Badge> : <Badge tone="off">off</Badge>}</span>
    ),
  },
  { title: 'Since', share: 1.1, show: ({ created_at }) => <Time at={created_at} /> },
];

type ChangeRoleDialogProps = {
  readonly member: Member;
  /** Called with what the member created, if the new role allows less than the old one. */
  readonly onChanged: (made: ChangedRole) => void;
  readonly onClose: () => void;
};

/** Gives a member another role. */
function ChangeRoleDialog({ member, onChanged, onClose }: ChangeRoleDialogProps) {
  const withFreshFactor = useFreshCall();
  const change = useMutation({
    mutationFn: (body: Parameters<typeof account.changeRole>[1]) =>
      withFreshFactor(() => account.changeRole(member.member_id, body)),
    onSuccess: onChanged,
  });
  return (
    <FormDialog
      title={`Role of ${member.name}`}
      description="It applies from the member's next request on. If it allows less, everything that this member created is listed afterwards."
      action="Change the role"
      call={change}
      operation={['Members', 'changeRole']}
      onSubmit={(form) => {
        const role = readForm(form, 'role');
        if (isRole(role)) change.mutate({ role });
      }}
      onClose={onClose}
    >
      <RoleChoices chosen={member.role} />
    </FormDialog>
  );
}

/** Key of the query that holds the members. */
const MEMBERS_KEY = ['members'] as const;

/** Key of the query that holds the open invitations. */
export const INVITATIONS_KEY = ['invitations'] as const;

/** A choice of roles, each with its permissions. */
export function RoleChoices({ chosen }: { readonly chosen: Role }) {
  return (
    <fieldset className="choices">
      <legend>Role</legend>
      {ROLE_NAMES.map((role) => (
        <label key={role} className="choice">
          <input type="radio" name="role" value={role} defaultChecked={role === chosen} />
          <span className="cell-lines">
            <span>{ROLE_TEXTS[role].title}</span>
            <span className="field-hint">{ROLE_TEXTS[role].may}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
