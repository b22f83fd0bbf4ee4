import { useState } from 'react';
import { useParams } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useSession } from '../../session/session.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { InvitationList } from './invitation-list.tsx';
import { InviteDialogs } from './invite-dialogs.tsx';
import { MemberList } from './member-list.tsx';
import { RoleList } from './role-list.tsx';
import './members-page.css';

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
      lead="Everyone who may sign in to this account, and as what."
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
