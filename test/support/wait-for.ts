export { waitFor } from '@mailroom/handler-kit/support';
