import type { ComponentType } from 'react';
import type { IconName } from '../parts/icon.tsx';

/** A page of the dashboard. */
export type PageRoute = {
  /** Below /dashboard; `/wallets/:id?` takes a parameter, which `useParams` of wouter returns. The navigation leads to it without one. */
  readonly path: string;
  readonly title: string;
  /** The entry of the navigation; absent: the page is reached from another one. */
  readonly navigation?: { readonly section: Section; readonly icon: IconName };
  /** Scopes that the member needs, all of them. Without them the page is neither shown nor loaded. */
  readonly scopes: readonly string[];
  /** Loads the page at the first visit. */
  readonly load: () => Promise<ComponentType>;
};

/** Groups of the navigation, in their order. */
export const SECTIONS = ['Use', 'Account', 'Server'] as const;

export type Section = (typeof SECTIONS)[number];

/** Every page of a signed-in member, in the order of the navigation. */
export const ROUTES: readonly PageRoute[] = [
  {
    path: '/',
    title: 'Overview',
    navigation: { section: 'Use', icon: 'overview' },
    scopes: ['account:read'],
    load: async () => (await import('./overview/overview-page.tsx')).OverviewPage,
  },
  {
    path: '/keys/:list?',
    title: 'Keys and tokens',
    navigation: { section: 'Use', icon: 'key' },
    scopes: ['account:read'],
    load: async () => (await import('./keys/keys-page.tsx')).KeysPage,
  },
  {
    path: '/usage/:list?',
    title: 'Usage',
    navigation: { section: 'Use', icon: 'usage' },
    scopes: ['account:read'],
    load: async () => (await import('./usage/usage-page.tsx')).UsagePage,
  },
  {
    path: '/requests/:id?',
    title: 'Requests',
    navigation: { section: 'Use', icon: 'log' },
    scopes: ['account:read'],
    load: async () => (await import('./requests/requests-page.tsx')).RequestsPage,
  },
  {
    path: '/wallets/:id?/:view?',
    title: 'Wallets',
    navigation: { section: 'Use', icon: 'wallet' },
    scopes: ['wallets:read'],
    load: async () => (await import('./wallets/wallets-page.tsx')).WalletsPage,
  },
  {
    path: '/explorer/:network?/:what?/:signature?',
    title: 'Explorer',
    navigation: { section: 'Use', icon: 'explorer' },
    scopes: ['account:read'],
    load: async () => (await import('./explorer/explorer-page.tsx')).ExplorerPage,
  },
  {
    path: '/webhooks/:id?',
    title: 'Webhooks',
    navigation: { section: 'Use', icon: 'webhook' },
    scopes: ['audit:read'],
    load: async () => (await import('./webhooks/webhooks-page.tsx')).WebhooksPage,
  },
  {
    path: '/service-level',
    title: 'Service level',
    navigation: { section: 'Use', icon: 'service' },
    scopes: ['account:read'],
    load: async () => (await import('./service-level/service-level-page.tsx')).ServiceLevelPage,
  },
  {
    path: '/billing/:view?/:id?',
    title: 'Billing',
    navigation: { section: 'Account', icon: 'billing' },
    scopes: ['billing:read'],
    load: async () => (await import('./billing/billing-page.tsx')).BillingPage,
  },
  {
    path: '/audit/:view?',
    title: 'Audit log',
    navigation: { section: 'Account', icon: 'audit' },
    scopes: ['audit:read'],
    load: async () => (await import('./audit/audit-page.tsx')).AuditPage,
  },
  {
    path: '/members/:list?',
    title: 'Members',
    navigation: { section: 'Account', icon: 'members' },
    scopes: ['account:read'],
    load: async () => (await import('./members/members-page.tsx')).MembersPage,
  },
  {
    path: '/security',
    title: 'Security',
    navigation: { section: 'Account', icon: 'security' },
    scopes: [],
    load: async () => (await import('./security/security-page.tsx')).SecurityPage,
  },
  {
    path: '/settings/:view?',
    title: 'Settings',
    navigation: { section: 'Account', icon: 'settings' },
    scopes: ['account:read'],
    load: async () => (await import('./settings/settings-page.tsx')).SettingsPage,
  },
  {
    path: '/operator/accounts/:id?',
    title: 'Accounts',
    navigation: { section: 'Server', icon: 'accounts' },
    scopes: ['operator:manage'],
    load: async () => (await import('./operator/accounts/accounts-page.tsx')).AccountsPage,
  },
  {
    path: '/operator/invoices/:number?',
    title: 'Invoices',
    navigation: { section: 'Server', icon: 'invoices' },
    scopes: ['operator:manage'],
    load: async () => (await import('./operator/invoices/invoices-page.tsx')).InvoicesPage,
  },
  {
    path: '/operator/plans',
    title: 'Plans',
    navigation: { section: 'Server', icon: 'plans' },
    scopes: ['operator:read'],
    load: async () => (await import('./operator/plans/plans-page.tsx')).PlansPage,
  },
  {
    path: '/operator/nodes',
    title: 'Nodes',
    navigation: { section: 'Server', icon: 'server' },
    scopes: ['operator:read'],
    load: async () => (await import('./operator/nodes/nodes-page.tsx')).NodesPage,
  },
  {
    path: '/operator/requests',
    title: 'Limit requests',
    navigation: { section: 'Server', icon: 'requests' },
    scopes: ['operator:read'],
    load: async () => (await import('./operator/requests/open-requests-page.tsx')).OpenRequestsPage,
  },
];
