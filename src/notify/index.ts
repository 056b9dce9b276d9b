export { createWebhook, type Webhook, type WebhookAnswer, type WebhookCall } from './call.ts';
export type { Delivery, SenderPlace } from './delivery.ts';
export { createNotifier, type Notifier, type NotifierPorts, type NotifierStart } from './notifier.ts';
export { channelProblem, channelSecrets, resolveSetting } from './secrets.ts';
export { send } from './sender.ts';
