export { adminQuery } from '@mailroom/handler-kit/support';
