// Carried inside the plugin: shows that device headers of a plugin outside the tree are embedded.
#pragma once
