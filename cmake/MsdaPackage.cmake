# What `msda package` puts into the relocatable archive.
