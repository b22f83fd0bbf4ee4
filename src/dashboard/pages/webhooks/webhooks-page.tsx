import { useParams } from 'wouter';
import { WebhookPage } from './webhook-page.tsx';
import { WebhookListPage } from './webhook-list-page.tsx';
import './webhooks-page.css';

/** The webhooks of the account, and each of them with its deliveries. */
export function WebhooksPage() {
  const { id } = useParams();
  return id === undefined ? <WebhookListPage /> : <WebhookPage key={id} webhookId={id} />;
}
