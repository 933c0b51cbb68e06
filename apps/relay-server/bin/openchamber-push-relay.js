#!/usr/bin/env node
import '../dist/openchamber-push-relay.js';
